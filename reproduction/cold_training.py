"""A training on part of a graph, scored on nodes that come later and without edges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import subgraph

from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.data.splits import random_split_of
from homogcl.evaluate.probe import linear_probe
from homogcl.methods.base import Method
from homogcl.methods.forms import LAST
from homogcl.methods.inference import embeddings
from homogcl.nn.sparse import take_rows
from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.train import fit_run
from reproduction.distilled import nodes_per_second, student_of

HELD_OUT: Final = 0.2  # of the nodes, with all their edges
STUDENT, RATE = "student_", "nodes_per_second"  # in names of metrics


@dataclass(frozen=True)
class ColdTraining:
    """A method on the graph without a fifth of its nodes, which are embedded afterwards.

    The record has the accuracy of linear probes on these nodes: `cold_test_accuracy` where all
    vectors are made of features alone, those that the probe learns from too;
    `warm_cold_test_accuracy` where it learns from vectors that are made with edges; and
    `test_accuracy` where the nodes come with their edges. With a student, a perceptron learns from
    the method's vectors: its accuracies have `student_` in front, and `nodes_per_second` of both
    are beside them.
    """

    spec: Request
    folder: str
    has_student: bool = False

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.spec.name}, cold start, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self.spec.resolve(by_size=False).record_path(results / self.folder)

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""
        record = find_record(self.spec.resolve(by_size=False), results / self.folder)
        lacks = self.has_student and record is not None and f"{STUDENT}{RATE}" not in record.metrics
        return None if lacks else record

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train without the held-out nodes, score these and record, unless there is a record."""
        if (done := self.find_record(results)) is not None:
            return done, False
        run = self.spec.resolve(by_size=False)
        whole = run.graph
        late = late_nodes(int(whole.num_nodes or 0), run.seed)
        trained = fit_run(run.on(without_nodes(whole, late, run.seed)), on_epoch=on_epoch)
        method, rest = trained.method, trained.graph
        metrics = cold_scores(method, rest, whole, late, trained.form)
        if self.has_student:
            student = student_of(method, rest, run.seed)
            scored = cold_scores(student, rest, whole, late, LAST)
            metrics |= {f"{STUDENT}{name}": value for name, value in scored.items()}
            rates = nodes_per_second(method, student, graph=whole)
            metrics |= dict(zip((RATE, f"{STUDENT}{RATE}"), rates, strict=True))
        record = record_of(run, trained, metrics)
        write_record(results / self.folder, record)
        return record, True


def late_nodes(nodes: int, seed: int) -> Tensor:
    """Return the mask of the nodes that are held out, [N], drawn from the stream "cold-start"."""
    late = torch.zeros(nodes, dtype=torch.bool)
    late[torch.randperm(nodes, generator=stream(seed, "cold-start"))[: round(HELD_OUT * nodes)]] = 1
    return late


def without_nodes(graph: Data, late: Tensor, seed: int) -> Data:
    """Return the graph without the nodes in the mask `late` [N] and their edges, split anew."""
    edge_index, weight = subgraph(
        ~late, graph.edge_index, graph.get("edge_weight"), relabel_nodes=True, num_nodes=len(late)
    )
    rows = (~late).nonzero().squeeze(1)
    rest = Data(x=take_rows(graph.x, rows), edge_index=edge_index, y=graph.y[rows])
    if weight is not None:
        rest.edge_weight = weight
    rest.name, rest.sha256, rest.split_name = graph.name, graph.sha256, "random"
    masks = random_split_of(rest.y >= 0, stream(seed, "split"))
    for key, mask in zip(MASKS, masks, strict=True):
        rest[key] = mask
    return rest


def cold_scores(
    method: Method, rest: Data, whole: Data, late: Tensor, form: str
) -> dict[str, float]:
    """Return the accuracies of probes on the held-out nodes, with and without their edges.

    Args:
        method: A method trained on `rest`.
        rest: What `without_nodes` returned, whose split is that of the probes.
        whole: The graph with all nodes.
        late: Mask of the held-out nodes, [N].
        form: What the embeddings consist of.
    """
    cold = embeddings(method, without_edges(whole), form)
    warm = torch.empty_like(cold)
    warm[~late] = embeddings(method, rest, form)
    warm[late] = cold[late]
    kinds = {"": embeddings(method, whole, form), "cold_": cold, "warm_cold_": warm}
    split = (_among(rest.train_mask, late), _among(rest.val_mask, late), late & (whole.y >= 0))
    scores = {}
    for kind, z in kinds.items():
        scored = linear_probe(z, whole.y, split)
        for name in ("test_accuracy", "val_accuracy"):
            scores[f"{kind}{name}"] = scored[name]
    return scores


def without_edges(graph: Data) -> Data:
    """Return the nodes of a graph with their features alone."""
    return Data(x=graph.x, edge_index=graph.edge_index[:, :0])


def _among(mask: Tensor, late: Tensor) -> Tensor:
    """Return a mask over the nodes that are not late as one over all nodes, [N]."""
    among = torch.zeros_like(late)
    among[~late] = mask
    return among
