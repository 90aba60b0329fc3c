"""Trainings on images: SimCLR and its baselines, probed and recorded as on graphs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import torch
from pydantic import JsonValue
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config, validated
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.seeds import stream
from homogcl.evaluate.probe import ProbeConfig
from homogcl.evaluate.tasks import PROBE
from homogcl.methods.registry import configure
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import NO_DATA_SET
from homogcl.runs.log import OnEpoch
from homogcl.runs.origin import PRECISION, current_commit, current_machine, current_versions
from homogcl.runs.record import (
    Metrics,
    Record,
    cell_path,
    is_done,
    read_record,
    settings_sha256,
    split_sha256,
    write_record,
)
from homogcl.runs.run import Run
from homogcl.runs.scores import inputs_of, scores
from homogcl.runs.train import fit_run
from homogcl.training.loop import Epoch
from reproduction.vision.images import ImageData, Images, load_images
from reproduction.vision.simclr import SimCLRConfig, VisionEpoch, train_simclr

ImageMethod = Literal["simclr", "pixels", "mlp"]


@dataclass(frozen=True)
class _Outcome:
    """The metrics and the time of a training."""

    seconds: float  # of the training, without its probe
    metrics: Metrics
    milestones: dict[str, Metrics] = field(default_factory=dict)
    terms: Metrics = field(default_factory=dict)


@dataclass(frozen=True)
class ImageTraining:
    """A classification of images, recorded in the folder called `folder`.

    Attributes:
        method: `simclr` probes representations that SimCLR learns without labels, `pixels` probes
            the images themselves, `mlp` trains a perceptron with labels.
        data: Which images.
        seed: Root seed of every random stream.
        folder: Folder of the record, below the folder of results.
        overrides: Settings of SimCLR or of the perceptron that differ from its defaults.
        root: Folder of all data sets; by default that of `homogcl.load`.
    """

    method: ImageMethod
    data: ImageData
    seed: int
    folder: str
    overrides: Mapping[str, object] = field(default_factory=dict)
    root: Path | None = None

    @property
    def label(self) -> str:
        """Method, images and seed."""
        return f"{self.method} on {self.data}, seed {self.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return cell_path(
            results / self.folder,
            data=self.data,
            method=self.method,
            settings=self._settings(include_defaults=False),
            seed=self.seed,
        )

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None where there is none."""
        path = self.path(results)
        return read_record(path) if is_done(path) else None

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate and record, unless there is a record."""
        if (done := self.find_record(results)) is not None:
            return done, False
        images = load_images(self.root, self.data)
        rows = labeled_rows(images, self.seed)
        reset_peak()
        outcome = self._outcome(images, rows, on_epoch)
        settings = self._settings(include_defaults=False)
        record = Record(
            method=self.method,
            data=images.name,
            seed=self.seed,
            settings=settings,
            settings_sha256=settings_sha256(settings),
            resolved=self._settings(include_defaults=True),
            data_sha256=images.sha256,
            split=rows.split_name,
            split_sha256=split_sha256(rows.train_mask, rows.val_mask, rows.test_mask),
            versions=current_versions(),
            commit=current_commit(),
            machine=current_machine(torch.get_num_threads()),
            precision=PRECISION,
            seconds=outcome.seconds,
            peak_memory_bytes=peak_bytes(),
            metrics=outcome.metrics,
            milestones=outcome.milestones,
            terms=outcome.terms,
        )
        write_record(results / self.folder, record)
        return record, True

    def _outcome(self, images: Images, rows: Data, on_epoch: OnEpoch | None) -> _Outcome:
        if self.method == "pixels":
            return _Outcome(0.0, PROBE.score(inputs_of(rows.x, rows, self.seed)))
        if self.method == "simclr":
            config = validated(SimCLRConfig, self.overrides)
            return _train_and_probe(images, rows, config, self.seed, on_epoch)
        settings = resolve("mlp", NO_DATA_SET, self.overrides)
        trained = fit_run(Run.of("mlp", settings, rows, self.seed), on_epoch=on_epoch)
        return _Outcome(trained.seconds, scores(trained.method, rows, self.seed, ("probe",)))

    def _settings(self, *, include_defaults: bool) -> dict[str, JsonValue]:
        """Return the settings as records of graphs have them: method, training and probe."""
        parts: dict[str, Config] = {"probe": ProbeConfig()}
        if self.method == "simclr":
            parts["method"] = validated(SimCLRConfig, self.overrides)
        elif self.method == "mlp":
            settings = resolve("mlp", NO_DATA_SET, self.overrides)
            parts["method"] = configure("mlp", settings.method)[0]
            parts["train"] = settings.train
        dumped: dict[str, JsonValue] = {
            name: config.model_dump(mode="json", exclude_defaults=not include_defaults)
            for name, config in parts.items()
        }
        if include_defaults and isinstance(config := parts.get("method"), SimCLRConfig):
            # A record reads its epochs here.
            dumped["train"] = {"epochs": config.epochs}
        return dumped


def labeled_rows(images: Images, seed: int) -> Data:
    """Return all images as a graph without edges: pixels as features, labels and a split.

    The test images are those of the data set; a tenth of the others, drawn from the stream
    "split", is for validation.
    """
    x = torch.cat([images.train, images.test]).flatten(1)
    labeled, count = len(images.train), len(x)
    order = torch.randperm(labeled, generator=stream(seed, "split"))
    val, test = torch.zeros(2, count, dtype=torch.bool).unbind()
    val[order[: labeled // 10]] = True
    test[labeled:] = True
    return Data(
        x=x,
        y=torch.cat([images.train_y, images.test_y]),
        edge_index=torch.empty(2, 0, dtype=torch.long),
        train_mask=~(val | test),
        val_mask=val,
        test_mask=test,
        num_nodes=count,
        split_name="a tenth held out",
    )


def _train_and_probe(
    images: Images, rows: Data, config: SimCLRConfig, seed: int, on_epoch: OnEpoch | None
) -> _Outcome:
    """Train SimCLR on the training images and probe its representations."""
    milestones: dict[str, Metrics] = {}
    terms: Metrics = {}
    last = start_time = time.perf_counter()

    def follow(epoch: VisionEpoch) -> None:
        nonlocal last
        milestones[str(epoch.number)] = {
            "positive_similarity": epoch.similarities.positive,
            "negative_similarity": epoch.similarities.negative,
        }
        terms["contrast"] = epoch.loss
        now = time.perf_counter()
        if on_epoch:
            on_epoch(Epoch(epoch.number, config.epochs, epoch.loss, dict(terms), now - last))
        last = now

    model = train_simclr(images.train, config, seed, follow)
    seconds = time.perf_counter() - start_time
    z: Tensor = torch.cat([model.embed(images.train), model.embed(images.test)])
    metrics = PROBE.score(inputs_of(z, rows, seed)) | milestones.get(str(config.epochs), {})
    return _Outcome(seconds, metrics, milestones, terms)
