"""G-BT: the cross-correlation of two views' embedding columns approaches the identity."""

from __future__ import annotations

from typing import Literal

import torch
from torch_geometric.data import Data

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.correlation import barlow_twins, correlation, standardize
from homogcl.losses.neighbors import neighbor_term
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.views.augment import EqualRates, TwoViews, two_views


class GBT(Method):
    """Graph Barlow Twins (Bielak et al., 2022).

    With Z̃_A, Z̃_B the embeddings of two augmented views, each column with mean 0 and deviation 1,
    and C = Z̃_Aᵀ Z̃_B / N,

        L = Σ_i (1 - C_ii)² + λ Σ_{i≠j} C_ij²,   λ = 1/d'

    Both views have the same drop rates; BatchNorm and PReLU follow all layers but the last.

    The first summand compares columns and has no form for pairs. With `positives` the term
    `neighbors` is therefore a separate sum over rows, -(1/|E|) Σ_ij S_ij cos(z̃_Ai, z̃_Bj).
    """

    name = "G-BT"
    combines = frozenset({Combine.TERM})

    class Config(EncoderConfig, EqualRates):
        activation: Activation = "prelu"
        norm: Literal["none", "batch", "layer"] = "batch"
        norm_momentum: float = 0.01
        redundancy_weight: float | None = None  # λ; 1/out_dim by default

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)

    def views(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Return two augmented views."""
        return two_views(graph, self.config, rng)

    def objective(self, views: TwoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of agreement and redundancy, and the term of neighbors if any."""
        near = self.accept(positives)
        z_a, z_b = (standardize(self.encoder(view)) for view in (views.first, views.second))
        agreement, redundancy = barlow_twins(correlation(z_a, z_b))
        own = {"invariance": agreement, "redundancy": redundancy}
        return {**own, **neighbor_term(near, (z_a, z_b))}

    def term_weights(self) -> dict[str, float]:
        """Return λ."""
        weight = self.config.redundancy_weight
        return {"redundancy": 1 / self.config.out_dim if weight is None else weight}
