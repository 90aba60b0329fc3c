"""Which edges look wrong: a score of each edge as a table, and S of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.core.config import validated
from homogcl.core.errors import UserError, nearest
from homogcl.core.seeds import stream
from homogcl.data.held.graph import HeldGraph
from homogcl.data.load import load
from homogcl.homophily.clusters import centroids, spread
from homogcl.homophily.edge_scores import edge_scores
from homogcl.homophily.plugins.homogcl import SoftClusterConfig
from homogcl.homophily.saliency import saliency, soft_assignment
from homogcl.methods.base import Method, Sizes
from homogcl.methods.homogcl import ClosedForm
from homogcl.methods.inference import embeddings, without_labels
from homogcl.nn.sparse import Pattern

# 2σ² of unit rows, as a share of the mean squared distance to the nearest centroid: it spreads S
# about as widely as HomoGCL's own width does on its embeddings.
_WIDTH = 0.25
NUM_CLUSTERS = 10  # for methods without clusters
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)  # of scores; most are high
SUSPICIOUS = 0.1  # edges with a lower saliency almost surely join two clusters


@dataclass(frozen=True)
class Bin:
    """Edges whose saliency lies from `low` to `high`.

    Attributes:
        low: The lowest saliency.
        high: The highest saliency.
        edges: How many edges with two labels have such a saliency.
        same_label: The share of them that joins equal labels.
        saliency: Their mean saliency; a calibrated one is near that share.
    """

    low: float
    high: float
    edges: int
    same_label: float
    saliency: float


@dataclass(frozen=True)
class EdgeSaliency:
    """Each edge once, in the order of saliency, lowest first.

    Attributes:
        source: The node with the lower number, [E/2].
        target: The node with the higher number, [E/2].
        saliency: How surely both nodes belong together, in [0, 1], [E/2].
        same_label: 1 if both nodes have the same label, 0 if their labels differ, -1 if a label is
            missing, [E/2].
        weight: The weights, [E/2]; None if edges have none.
    """

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    saliency: npt.NDArray[np.float32]
    same_label: npt.NDArray[np.int8]
    weight: npt.NDArray[np.float32] | None = None

    def summary(self) -> dict[str, float | int | None]:
        """Return the mean, the share below 0.1, and how well it finds edges within a label.

        `auc` is the probability that an edge within a label is more salient than an edge between
        two labels; None if the labels do not give both kinds.
        """
        s, labeled = self.saliency, self.same_label >= 0
        has_both = len(np.unique(self.same_label[labeled])) == 2
        auc = float(roc_auc_score(self.same_label[labeled], s[labeled])) if has_both else None
        return {
            "edges": len(s),
            "mean": float(s.mean()) if len(s) else None,
            "share_below_0.1": float((s < SUSPICIOUS).mean()) if len(s) else None,
            "labeled_edges": int(labeled.sum()),
            "auc": auc,
        }

    def share_across_labels(self, lowest: int | None = None) -> float | None:
        """Return the share between two labels, of the edges with lowest saliency or of all.

        Edges without two labels do not count; None if no other is among them.
        """
        same = self.same_label[:lowest]
        labeled = same[same >= 0]
        return float((labeled == 0).mean()) if len(labeled) else None

    def calibration(self) -> list[Bin]:
        """Return the edges with two labels by score, and what share of them joins equal labels."""
        labeled = self.same_label >= 0
        s, same = self.saliency[labeled], self.same_label[labeled]
        number = np.digitize(s, BINS[1:-1])
        return [
            Bin(low, high, int(inside.sum()), float(same[inside].mean()), float(s[inside].mean()))
            for k, (low, high) in enumerate(pairwise(BINS))
            if (inside := number == k).any()
        ]

    def columns(self, ids: Sequence[str] | Sequence[int]) -> dict[str, Any]:
        """Return the table by columns, with the nodes' own ids; unknown labels are None."""
        names = np.array(ids)
        return {
            "source": names[self.source],
            "target": names[self.target],
            "saliency": self.saliency,
            "same_label": [None if each < 0 else bool(each) for each in self.same_label],
        }

    def edge_list(self, ids: Sequence[str] | Sequence[int]) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of an edge list, in the order of the nodes."""
        names, order = np.array(ids), np.lexsort((self.target, self.source))
        columns = {"source": names[self.source[order]], "target": names[self.target[order]]}
        return columns if self.weight is None else {**columns, "weight": self.weight[order]}

    def without_lowest(self, share: float) -> EdgeSaliency:
        """Return the table without this share of the edges, at the lowest saliency."""
        rest = slice(round(share * len(self.source)), None)
        return EdgeSaliency(
            self.source[rest],
            self.target[rest],
            self.saliency[rest],
            self.same_label[rest],
            None if self.weight is None else self.weight[rest],
        )


def edge_saliency(
    method: Method, graph: HeldGraph, *, config: SoftClusterConfig | None = None, seed: int = 0
) -> EdgeSaliency:
    """Return each edge with its score as a table.

    The score is that of `saliencies`; with `config`, it is S under such clusters.

    Args:
        method: A trained method.
        graph: A `Data` as `load` returns it is taken as it is: its edges both ways, sorted. What
            else `load` takes is loaded.
        config: Number and width of clusters.
        seed: Root seed of the score.
    """
    data = graph if isinstance(graph, Data) else load(graph, seed=seed)
    Pattern.both_ways(data.edge_index, int(data.num_nodes or 0))
    if config is None:
        return _table(data, saliencies(method, data, seed=seed))
    return _table(data, cluster_saliencies(method, data, config=config, seed=seed))


def saliencies(method: Method, graph: Data, *, seed: int = 0) -> Tensor:
    """Return how surely the ends of each edge belong together, [E], fitted without labels.

    A method without scores of its own judges by its embeddings beside those of the closed form: its
    weights have seen every edge in training, and the closed form is fitted anew without them.

    Args:
        method: A trained method. One that scores edges by clusters is asked for its embeddings, as
            one without scores is: S is near 1 for most edges, and near chance on many graphs.
        graph: The graph with the edges.
        seed: Root seed; folds and decoys come from the stream "edge scores".
    """
    with torch.no_grad():
        has_clusters = method.assignment(graph) is not None
        scores = None if has_clusters else method.edge_scores(graph, seed)
        if scores is None:
            closed = closed_form(graph, seed)
            scores = edge_scores(
                graph,
                lambda rest: [embeddings(method, rest), closed.embed_anew(rest)],
                stream(seed, "edge scores"),
            )
    return scores


def closed_form(graph: Data, seed: int) -> ClosedForm:
    """Return HomoGCL in closed form, prepared on `graph`."""
    method = ClosedForm(ClosedForm.Config(), Sizes.of(graph)).to(graph.x.device)
    method.prepare(without_labels(graph), stream(seed, "prepare", graph.x.device))
    return method


def cluster_saliencies(
    method: Method, graph: Data, *, config: SoftClusterConfig | None = None, seed: int = 0
) -> Tensor:
    """Return S of each edge under clusters of the clean embeddings, [E].

    Without `config`, a method with a plug-in uses the clusters of its training, and any other
    method clusters of the embeddings' directions.

    Args:
        method: A trained method.
        graph: The graph with the edges.
        config: Number and width of other clusters, for k-means to find.
        seed: Root seed; k-means draws its start from the stream "saliency".
    """
    h = embeddings(method, graph)
    if config is not None:
        k, rng = config.num_clusters, stream(seed, "saliency", h.device)
        c = centroids(h, k, rng)
        width = config.two_sigma_sq * (1.0 if config.width == "fixed" else spread(h, c))
        return saliency(soft_assignment(h, c, width), graph.edge_index)
    with torch.no_grad():
        r = method.assignment(graph)
    if r is not None:
        return saliency(r, graph.edge_index)
    return row_saliency(h.cpu(), graph.edge_index.cpu(), NUM_CLUSTERS, seed)


def cluster_config(
    of_run: Mapping[str, object], overrides: Mapping[str, object]
) -> SoftClusterConfig:
    """Return the clusters that a run was trained with, or the usual ones, changed by `overrides`.

    Settings that say nothing of number and width of clusters are refused.
    """
    fields = SoftClusterConfig.model_fields
    for key in overrides:
        if key not in fields:
            raise UserError(f"clusters have no setting {key!r}{nearest(key, fields)}")
    of_clusters = {key: value for key, value in of_run.items() if key in fields}
    return validated(SoftClusterConfig, {**of_clusters, **overrides})


def row_saliency(z: Tensor, edge_index: Tensor, num_clusters: int, seed: int) -> Tensor:
    """Return S [E] under k-means clusters of the rows of `z` [N, d] scaled to length 1.

    `edge_index` [2, E] is sorted by source, and k at most the number of nodes; k-means draws its
    start from the stream "saliency".
    """
    unit = functional.normalize(z.float())
    c = centroids(unit, min(num_clusters, len(unit)), stream(seed, "saliency"))
    distance = float(torch.cdist(unit, c).min(1).values.square().mean())
    return saliency(soft_assignment(unit, c, max(_WIDTH * distance, 1e-6)), edge_index)


def _table(graph: Data, s: Tensor) -> EdgeSaliency:
    source, target = graph.edge_index.cpu().numpy()
    once = source < target
    source, target, values = source[once], target[once], s.cpu().numpy()[once]
    same = np.full(len(source), -1, dtype=np.int8)
    if "y" in graph:
        y = graph.y.cpu().numpy()
        labeled = (y[source] >= 0) & (y[target] >= 0)
        same[labeled] = (y[source] == y[target])[labeled]
    order = np.lexsort((target, source, values))
    weight = graph.get("edge_weight")
    return EdgeSaliency(
        source[order],
        target[order],
        values[order],
        same[order],
        None if weight is None else weight.cpu().numpy()[once][order],
    )
