"""NS4GC: nodes and neighbors agree between two views, and other pairs are not alike."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from pydantic import PositiveFloat
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Probability
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.sparsity import Gate, Similarities, sparsity
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.negatives import ContrastNegatives, ContrastViews, NegativesConfig
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern
from homogcl.nn.unit_rows import of_length
from homogcl.views.augment import ViewRates, two_views


@dataclass(frozen=True)
class ViewsWithEdges:
    """Two views, and the edges of the graph that they come from, [2, E]."""

    compared: ContrastViews
    edge_index: Tensor


class NS4GC(Method):
    """Reliable node similarity matrix guided contrastive graph clustering (Liu et al., 2024).

    With Z_1, Z_2 the unit vectors of two augmented views, S = Z_1 Z_2ᵀ and E the edges of the
    clean graph,

        L = -mean_i S_ii - mean_{ij∈E} S_ij + mean_{i≠j, ij∉E} σ((S_ij - s)/τ)

    The last term sees only pairs that are more alike than the threshold s. With
    `negatives="sampled"` it is estimated, without bias, from `num_negatives` nodes of the second
    view. No step holds a matrix of all pairs. The embeddings are unit vectors too.

    With `positives` each edge of the second summand counts by its weight, where the authors' count
    equally; no edge moves to the third. Under a mean the first two summands are minus twice the
    mean over a node's positives, which for one neighbor of weight 1 is what they were.
    """

    name = "NS4GC"
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig, ViewRates, NegativesConfig):
        hidden_dim: int = 256
        out_dim: int = 64
        activation: Activation = "selu"
        threshold: float = 0.6  # s
        temperature: PositiveFloat = 0.1  # τ
        drop_edge_1: Probability = 0.3
        drop_edge_2: Probability = 0.3
        mask_feature_1: Probability = 0.2
        mask_feature_2: Probability = 0.2

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.negatives = ContrastNegatives(config, config.out_dim)

    def check(self, nodes: int) -> None:
        """Refuse negatives that do not fit the nodes."""
        self.negatives.check(nodes)

    def views(self, graph: Data, rng: torch.Generator) -> ViewsWithEdges:
        """Return two augmented views."""
        compared = self.negatives.draw(two_views(graph, self.config, rng), rng)
        return ViewsWithEdges(compared, graph.edge_index)

    def objective(self, views: ViewsWithEdges, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of nodes, of neighbors and of all other pairs."""
        near, two = self.accept(positives), views.compared
        s = _similarities(self.embed(two.first), self.embed(two.second), views.edge_index)
        columns = self.negatives.columns(two, s.a, self.sharing)
        gate = Gate(self.config.threshold, self.config.temperature)
        return {**_attraction(s, near), "sparsity": sparsity(s, gate, columns)}

    def embed(self, graph: Data) -> Tensor:
        """Return the encoder's output, each row with length 1."""
        return of_length(self.encoder(graph), 1.0)


def _similarities(a: Tensor, b: Tensor, edge_index: Tensor) -> Similarities:
    edges = Pattern.of(edge_index, a.size(0))
    return Similarities(a, b, (a * b).sum(1), pair_products(a, b, edges), edges)


def _attraction(s: Similarities, near: Positives) -> Terms:
    if near.combine in MEANS and not near.is_empty:
        return {"alignment": -2 * near.mean(s.own, s.near, s.edges.row).mean()}
    weighted = s.near if near.is_empty else near.weight * s.near
    # A part of a graph may have no edge.
    neighbors = -weighted.sum() / max(weighted.numel(), 1)
    return {"alignment": -s.own.mean(), "neighbors": neighbors}
