"""A training that saves its embeddings as points in the plane."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.seeds import numpy_stream
from homogcl.methods.inference import embeddings
from homogcl.pages.projection import project
from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run


@dataclass(frozen=True)
class Points:
    """Positions of the nodes, [N, 2], and their labels, [N]."""

    at: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class LayoutTraining:
    """A method on a graph, and its t-SNE as .npz beside the record."""

    spec: Request
    folder: str
    most: int = 2**31  # nodes at most, a random sample of more

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.spec.name} as points, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self.spec.resolve(by_size=False).record_path(results / self.folder)

    def points_path(self, results: Path) -> Path:
        """Return where the points lie below the folder `results`."""
        return self.path(results).with_suffix(".npz")

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None without record or points."""
        record = find_record(self.spec.resolve(by_size=False), results / self.folder)
        return record if self.points_path(results).exists() else None

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate, lay out and record, unless there is a record."""
        if (done := self.find_record(results)) is not None:
            return done, False
        run = self.spec.resolve(by_size=False)
        trained = fit_run(run, on_epoch=on_epoch)
        metrics = scores(
            trained.method, trained.graph, self.spec.seed, self.spec.tasks, form=trained.form
        )
        z = embeddings(trained.method, trained.graph, trained.form).numpy()
        order = numpy_stream(self.spec.seed, "points").permutation(len(z))
        sample = np.sort(order[: self.most])
        at = project(z[sample], "tsne", self.spec.seed).points
        # Write the record last, so that a record always has its points.
        write_points(self.points_path(results), Points(at, trained.graph.y.numpy()[sample]))
        record = record_of(run, trained, metrics)
        write_record(results / self.folder, record)
        return record, True


def write_points(path: Path, points: Points) -> Path:
    """Write points atomically and return their path."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, at=points.at, labels=points.labels)
    return write_atomically(path, buffer.getvalue())


def read_points(path: Path) -> Points:
    """Return the points in the file `path`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return Points(file["at"], file["labels"])
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(f"{path} holds no points: {error}") from None
