"""GCA: contrast between views that drop unimportant edges and features more often."""

from __future__ import annotations

import torch
from pydantic import NonNegativeInt, PositiveFloat
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses import info_nce
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.negatives import ContrastNegatives, ContrastViews, NegativesConfig
from homogcl.nn.encoders import Encoder, EncoderConfig, projector
from homogcl.nn.operators import edge_weights
from homogcl.views.augment import Rates, TwoViews, ViewRates, augment
from homogcl.views.centrality import (
    Centrality,
    column_centrality,
    drop_factor,
    edge_centrality,
    node_centrality,
)


class AdaptiveConfig(EncoderConfig, ViewRates):
    """Settings of GCA and of other methods with its views."""

    projector_dim: NonNegativeInt = 0  # hidden width of the projector; 0 for none
    temperature: PositiveFloat = 0.5  # τ
    centrality: Centrality = "degree"  # φ
    max_drop: float = 0.7  # p_τ, the largest drop probability
    dense_features: bool = False  # columns count by |x|, not by whether x is 0


class AdaptiveViews(nn.Module):
    """Views that drop edges and feature columns more often the less central they are.

    With s_e = log((φ_i + φ_j) / 2), the edge e = (i, j) is dropped with the probability

        min(p_e · (s_max - s_e) / (s_max - mean s), p_τ)

    and a feature column f is masked in the same way, with s_f = log Σ_i 1[x_if ≠ 0] φ_i.
    """

    edge_factor: Tensor  # [E]
    column_factor: Tensor  # [d]

    def __init__(self, config: AdaptiveConfig) -> None:
        """Keep the settings; `prepare` computes the factors."""
        super().__init__()
        self.config = config
        # They belong to the training graph, not to a trained model.
        self.register_buffer("edge_factor", torch.empty(0), persistent=False)
        self.register_buffer("column_factor", torch.empty(0), persistent=False)

    def prepare(self, graph: Data) -> None:
        """Compute the factors of `graph`."""
        c = self.config
        weight = edge_weights(graph)
        phi = node_centrality(c.centrality, graph.edge_index, weight, int(graph.num_nodes or 0))
        columns = column_centrality(graph.x, phi, by_amount=c.dense_features)
        self.edge_factor = drop_factor(edge_centrality(phi, graph.edge_index)).float()
        self.column_factor = drop_factor(columns).float()

    def draw(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Return two views of the graph that was prepared."""
        return TwoViews(*(self._view(graph, rates, rng) for rates in self.config.of_views))

    def _view(self, graph: Data, rates: Rates, rng: torch.Generator) -> Data:
        edges = (self.edge_factor * rates[0]).clamp(max=self.config.max_drop)
        columns = (self.column_factor * rates[1]).clamp(max=self.config.max_drop)
        return augment(graph, edges, columns, rng)


class GCA(Method):
    """Graph contrastive learning with adaptive augmentation (Zhu et al., WWW 2021).

    GRACE's loss between two views of `AdaptiveViews`, with degree, eigenvector or PageRank
    centrality. As in the paper, the importance of an edge is the mean over its two nodes (the
    released code takes the target's alone), and PageRank is σ = 0.85 A D⁻¹ σ + 1 (there: a lazy
    walk that tends to the degrees). Columns that are 0 everywhere, and nodes that the leading
    eigenvector does not reach, count as least important; in the released code they make all
    probabilities NaN. Negatives may be sampled as in GRACE.
    """

    name = "GCA"
    combines = frozenset({Combine.SUM}) | MEANS
    takes_batches = False  # drop rates depend on all edges

    class Config(AdaptiveConfig, NegativesConfig):
        """Settings of GCA."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Build the encoder and the projector."""
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)
        self.adaptive = AdaptiveViews(config)
        self.negatives = ContrastNegatives(config, config.out_dim)

    def check(self, nodes: int) -> None:
        """Refuse negatives that do not fit the nodes."""
        self.negatives.check(nodes)

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Compute the centralities."""
        self.adaptive.prepare(graph)

    def views(self, graph: Data, rng: torch.Generator) -> ContrastViews:
        """Return two adaptively augmented views."""
        return self.negatives.draw(self.adaptive.draw(graph, rng), rng)

    def objective(self, views: ContrastViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrastive loss."""
        near = self.accept(positives)
        u, v = self.projector(self.encoder(views.first)), self.projector(self.encoder(views.second))
        pairs = (near.within(views.first), near.within(views.second))
        negatives = self.negatives.of(views, u, self.sharing)
        return {"contrast": info_nce(u, v, self.config.temperature, pairs, negatives)}
