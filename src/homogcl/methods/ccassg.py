"""CCA-SSG: two views agree node by node while the embedding's columns stay uncorrelated."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.correlation import decorrelation, invariance, standardize
from homogcl.losses.neighbors import neighbor_term
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Encoder, EncoderConfig
from homogcl.views.augment import EqualRates, TwoViews, two_views


class CCASSG(Method):
    """From canonical correlation analysis to self-supervised graph learning (Zhang et al., 2021).

    With Z̃_A, Z̃_B the embeddings of two augmented views, each column with mean 0 and deviation 1,

        L = -tr(Z̃_Aᵀ Z̃_B)/N + λ (‖Z̃_Aᵀ Z̃_A/N - I‖² + ‖Z̃_Bᵀ Z̃_B/N - I‖²)

    which is the paper's loss with its 1/√N written out. Both views have the same drop rates. The
    embeddings are the encoder's output, not standardized.

    With `positives` the term `neighbors` is -(1/|E|) Σ_ij S_ij cos(z̃_Ai, z̃_Bj), which is
    symmetric because each pair comes in both directions. It has cosines instead of the inner
    products of the first summand, because standardizing does not bound the rows of hubs, which
    have most edges. Under a mean this term is absent: d cos(z̃_Ai, z̃_Bj) of the neighbors joins
    the node's own product in the first summand.
    """

    name = "CCA-SSG"
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig, EqualRates):
        out_dim: int = 512
        decorrelation_weight: float = 1e-3  # λ

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)

    def check(self, nodes: int) -> None:
        """Refuse a single node, which has no deviation to divide by."""
        if nodes == 1:
            raise UserError("CCA-SSG standardizes over the nodes and needs at least two of them")

    def views(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Return two augmented views."""
        return two_views(graph, self.config, rng)

    def objective(self, views: TwoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of agreement and redundancy, and the term of neighbors if any."""
        near = self.accept(positives)
        z_a, z_b = (standardize(self.encoder(view)) for view in (views.first, views.second))
        return {
            "invariance": invariance(z_a, z_b, near.combined(*MEANS)),
            "decorrelation": decorrelation(z_a) + decorrelation(z_b),
            **neighbor_term(near, (z_a, z_b)),
        }

    def term_weights(self) -> dict[str, float]:
        """Return λ."""
        return {"decorrelation": self.config.decorrelation_weight}
