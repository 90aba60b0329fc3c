"""A training on a graph with planted wrong edges, and how surely a method finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.data.hashes import tensor_sha256
from homogcl.data.rewired import rewired
from homogcl.evaluate.arrays import dense_embedding
from homogcl.homophily.edges import closed_form, saliencies
from homogcl.methods.base import Method
from homogcl.methods.inference import embeddings
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern
from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.origin import current_commit
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run

AREA = "planted_auc"
EITHER = 0.5  # the score at which an edge is as likely a random one as not


@dataclass(frozen=True)
class PlantedTraining:
    """A method on a graph, a share of whose edges leads to the target of another one of them.

    The seed also draws the wrong edges. The record names the graph by the share, as `cora-wrong30`,
    and has the hash of the graph with them. Where it is cleaned, the method is trained on the graph
    without the edges that `homogcl clean` finds more likely random than not.
    """

    spec: Request
    folder: str
    share: float = 0.0
    is_cleaned: bool = False

    @property
    def name(self) -> str:
        """The data set, the percentage of wrong edges if any, and whether it is cleaned."""
        wrong = f"-wrong{round(100 * self.share)}" if self.share else ""
        return f"{self.spec.name}{wrong}{'-cleaned' if self.is_cleaned else ''}"

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.name}, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self._resolve().record_path(results / self.folder)

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""
        record = find_record(self._resolve(), results / self.folder)
        return None if record is None or (self._finds and AREA not in record.metrics) else record

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate, find the wrong edges and record, unless there is a record."""
        if (record := self.find_record(results)) is not None:
            return record, False
        current_commit()  # while the checkout is still what this process has loaded
        run, clean = self._resolve(), self.spec.resolve(by_size=False).graph
        trained = fit_run(run, on_epoch=on_epoch)
        method, graph = trained.method, trained.graph
        metrics = scores(method, graph, run.seed, run.tasks, form=trained.form)
        if self._finds:
            metrics |= finding_scores(edge_scores(method, graph), is_planted(graph, clean))
        if self.is_cleaned:
            metrics["planted_share"] = float(is_planted(graph, clean).mean())
            before = rewired(clean, self.share, run.seed).num_edges
            metrics["dropped_share"] = 1 - graph.num_edges / before
        record = record_of(run, trained, metrics)
        write_record(results / self.folder, record)
        return record, True

    @property
    def _finds(self) -> bool:
        """Whether there are wrong edges to be found; a cleaned graph may have none."""
        return bool(self.share) and not self.is_cleaned

    def _resolve(self) -> Run:
        run = self.spec.resolve(by_size=False)

        @cache
        def graph() -> Data:
            planted = rewired(run.graph, self.share, run.seed)
            return cleaned(planted, run.seed) if self.is_cleaned else planted

        return replace(run, name=self.name, load=graph)


def cleaned(graph: Data, seed: int) -> Data:
    """Return the graph without edges that look more likely random than not; no label is read."""
    score = saliencies(closed_form(graph, seed), graph, seed=seed)
    result = graph.clone()
    result.edge_index = graph.edge_index[:, score >= EITHER]
    result.sha256 = tensor_sha256(result)
    return result


def is_planted(graph: Data, clean: Data) -> npt.NDArray[np.bool_]:
    """Return whether an edge of `graph` is none of `clean`, [E]."""

    def numbers(of: Data) -> npt.NDArray[np.int64]:
        source, target = of.edge_index.numpy()
        result: npt.NDArray[np.int64] = source * int(clean.num_nodes or 0) + target
        return result

    return ~np.isin(numbers(graph), numbers(clean))


def edge_scores(method: Method, graph: Data) -> Tensor:
    """Return the method's own scores of the edges, else the cosines of its embeddings, [E]."""
    with torch.no_grad():
        own = method.edge_scores(graph)
    if own is not None:
        return own
    z = normalize(dense_embedding(embeddings(method, graph)).float())
    return pair_products(z, z, Pattern.of(graph.edge_index, len(z)))


def finding_scores(score: Tensor, wrong: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Return how often a wrong edge has a lower score than a right one, and the share of them."""
    return {AREA: float(roc_auc_score(~wrong, score.numpy())), "planted_share": float(wrong.mean())}
