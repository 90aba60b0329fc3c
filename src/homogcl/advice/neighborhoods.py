"""Whether neighbors add to a node's features: what tells if propagation may do without a training.

Labels say it on validation nodes, by linear probes of the features and of the propagated ones.
Without labels, features say it: some columns of a node are predicted from others, once by the
node's own and once with averages over its neighborhoods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings, without_labels
from homogcl.methods.registry import build
from homogcl.nn.layers import multiply
from homogcl.nn.unit_rows import of_length
from homogcl.runs.scores import scores

_NODES = 1000  # whose features are predicted
_COLUMNS = 1024  # at most, on either side of a prediction
_PENALTIES = (1.0, 10.0, 100.0, 1000.0)  # of a ridge regression, in mean squared lengths of rows


@dataclass(frozen=True)
class Comparison:
    """The same measure on features alone and on propagated features."""

    measure: str
    nodes: int  # that it was measured on
    features: float
    propagation: float
    margin: float  # two standard errors of the difference

    @property
    def measured(self) -> str:
        """What was measured, in one line."""
        return (
            f"{self.measure} of {self.nodes:,} nodes: {self.features:.2%} by features, "
            f"{self.propagation:.2%} by propagation, ± {self.margin:.2%}"
        )

    @property
    def advice(self) -> str:
        """What follows, in one sentence."""
        if self.propagation - self.features > self.margin:
            return (
                "averages over neighborhoods tell more than features alone: try `propagation` "
                "first, it takes no training and is what a training has to beat"
            )
        if self.features - self.propagation > self.margin:
            return (
                "averages over neighborhoods tell less than features alone: expect little of "
                "methods that average, and compare them with `raw` and `mlp`"
            )
        return (
            "neighbors add nothing to the features that could be told from chance: compare every "
            "method with `raw` and `propagation`"
        )


def by_labels(graph: Data, seed: int = 0) -> Comparison | None:
    """Return the accuracies on validation of linear probes; None without labels or a split."""
    if any(graph.get(key) is None for key in ("y", *MASKS)) or not graph.val_mask.any():
        return None
    features, propagation = (
        scores(build(name, {}, Sizes.of(graph), seed), graph, seed, ("probe",))["val_accuracy"]
        for name in ("raw", "propagation")
    )
    nodes = int(graph.val_mask.sum())
    variance = (features * (1 - features) + propagation * (1 - propagation)) / nodes
    margin = 2 * math.sqrt(variance)
    return Comparison("validation accuracy", nodes, features, propagation, margin)


def by_features(graph: Data, seed: int = 0) -> Comparison | None:
    """Return the shares of variance of some columns of the features that others explain.

    Neither labels nor edges are learned from. None where the features were made of the edges, and
    where they do not vary.
    """
    rng = stream(seed, "columns")
    order = torch.randperm(graph.num_features, generator=rng)
    half = min(_COLUMNS, graph.num_features // 2)
    if graph.get("structural") or half == 0:
        return None
    seen = without_labels(graph)
    seen.x = _columns(graph.x, order[:half])
    nodes = torch.randperm(int(graph.num_nodes or 0), generator=rng)[:_NODES]
    hidden = _centered(of_length(_columns(graph.x, order[half : 2 * half])[nodes], 1.0))
    variance = float(hidden.square().sum(1).mean())
    if variance == 0:
        return None
    own, averaged = (
        _errors(_propagated(seen, powers)[nodes], hidden) / variance for powers in ((0,), (0, 1, 2))
    )
    return Comparison(
        "variance explained of held-out features",
        len(nodes),
        1 - float(own.mean()),
        1 - float(averaged.mean()),
        2 * float((own - averaged).std()) / math.sqrt(len(nodes)),
    )


def _propagated(graph: Data, powers: tuple[int, ...]) -> Tensor:
    # One penalty holds for all columns: own features of less weight would count as a loss.
    settings = {"powers": powers, "feature_weight": 1.0}
    return embeddings(build("propagation", settings, Sizes.of(graph), seed=0), graph)


def _errors(z: Tensor, hidden: Tensor) -> Tensor:
    """Return each row's squared error when a ridge regression on all others predicts it, [n].

    With G = (Z Zᵀ + λ I)⁻¹, the error of row i of T is (G T)_i / G_ii. The penalty with the least
    mean error counts.
    """
    z = _centered(z)
    gram = z @ z.t()
    identity = torch.eye(len(z), dtype=z.dtype)
    scale = float(gram.diagonal().mean()) or 1.0
    errors: list[Tensor] = []
    for penalty in _PENALTIES:
        inverse = torch.linalg.inv(gram + penalty * scale * identity)
        errors.append((inverse @ hidden / inverse.diagonal()[:, None]).square().sum(1))
    return min(errors, key=lambda each: float(each.mean()))


def _centered(rows: Tensor) -> Tensor:
    return rows.double() - rows.double().mean(0)


def _columns(x: Tensor, columns: Tensor) -> Tensor:
    """Return some columns of a dense or of a `torch.sparse_csr` matrix, dense, [N, c]."""
    if x.layout != torch.sparse_csr:
        return x[:, columns]
    choice = torch.zeros(x.size(1), len(columns), dtype=x.dtype)
    choice[columns, torch.arange(len(columns))] = 1.0
    return multiply(x, choice)
