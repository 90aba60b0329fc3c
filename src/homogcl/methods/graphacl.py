"""GraphACL: each node predicts a slow copy's vectors of its neighbors; nothing is augmented."""

from __future__ import annotations

import torch
from pydantic import PositiveFloat
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.config import Probability
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.asymmetric import all_log_sums, asymmetric, estimated_log_sums
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.negatives import ContrastNegatives, ContrastViews, NegativesConfig
from homogcl.nn.encoders import Encoder, EncoderConfig, move_target, target_of
from homogcl.nn.unit_rows import of_length
from homogcl.views.augment import TwoViews


class GraphACL(Method):
    """Simple and asymmetric graph contrastive learning (Xiao et al., 2023).

    Of the clean graph, the encoder gives v_i, its slow copy u_i without gradient, and a linear
    predictor q_i = W v_i + b. With θ the cosine and N(i) the neighbors of i and i itself,

        L = mean_i mean_{j∈N(i)} -log e^{θ(q_i,u_j)/τ} / (e^{θ(q_i,u_j)/τ} + Z_i)
        Z_i = Σ_k e^{θ(v_i,v_k)/τ}

    where k runs over all nodes, i included. With `negatives="sampled"` Z_i is estimated, without
    bias, from `num_negatives` nodes. After each step the copy follows, ξ ← βξ + (1-β)φ. The
    embeddings are v.

    With `positives` the inner mean takes their weights. As terms of their own, the node's own pair
    is `contrast`, and `neighbors` is the mean over all edges of S_ij times their loss.
    """

    name = "GraphACL"
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig, NegativesConfig):
        hidden_dim: int = 2048
        out_dim: int = 2048
        temperature: PositiveFloat = 0.5  # τ
        momentum: Probability = 0.9  # β

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.predictor = nn.Linear(config.out_dim, config.out_dim)
        self.target = target_of(self.encoder)
        self.negatives = ContrastNegatives(config, config.out_dim)

    def check(self, nodes: int) -> None:
        """Refuse negatives that do not fit the nodes."""
        self.negatives.check(nodes)

    def views(self, graph: Data, rng: torch.Generator) -> ContrastViews:
        """Return the clean graph as both views."""
        return self.negatives.draw(TwoViews(graph, graph), rng)

    def objective(self, views: ContrastViews, positives: Positives = Positives.none()) -> Terms:
        """Return the loss of a node's positives."""
        near = self.accept(positives)
        if near.is_empty:
            near = _neighbors(views.first)
        # Vectors of this length have the logits θ/τ as products.
        length = self.config.temperature**-0.5
        h = self.encoder(views.first)
        with torch.no_grad():
            u = of_length(self.target(views.second), length)
        log_z = self._log_sums(of_length(h, length), views)
        return asymmetric(of_length(self.predictor(h), length), u, log_z, near)

    def after_step(self, progress: float) -> None:
        """Let the copy follow."""
        move_target(self.target, self.encoder, self.config.momentum)

    def _log_sums(self, v: Tensor, views: ContrastViews) -> Tensor:
        columns = self.negatives.columns(views, v, self.sharing)
        if columns is None:
            return all_log_sums(v, self.negatives.workspace, self.sharing.pairs)
        return estimated_log_sums(v, columns)


def _neighbors(graph: Data) -> Positives:
    """Return all edges of `graph`, each with the weight of the node's own pair."""
    edges = graph.edge_index
    weight = torch.ones(edges.size(1), dtype=graph.x.dtype, device=edges.device)
    return Positives(edges, weight, combine=Combine.WEIGHTED_MEAN)
