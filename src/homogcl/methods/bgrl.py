"""BGRL: an online network learns to predict a slowly moving target's view of each node."""

from __future__ import annotations

from typing import Literal

import torch
from torch_geometric.data import Data

from homogcl.core.config import Probability
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.bootstrap import bootstrap_loss, target_decay
from homogcl.losses.neighbors import neighbor_term
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig, move_target, predictor
from homogcl.views.augment import TwoViews, ViewRates, two_views


class BGRL(Method):
    """Large-scale representation learning on graphs via bootstrapping (Thakoor et al., 2022).

    The online encoder and a predictor give Z_1, Z_2 of two augmented views; the target encoder
    gives H_1, H_2, through which no gradient flows. The loss has no negatives:

        L_1 = 2 - (1/N) Σ_i cos(Z_1i, H_2i) - (1/N) Σ_i cos(Z_2i, H_1i)

    After each step the target follows, φ ← τφ + (1-τ)ξ, where τ moves on a cosine over the steps
    from `momentum` to 1. As in the authors' code, the target has its own random start, not a copy
    of the online encoder, and only parameters follow: each network keeps its own BatchNorm
    statistics.

    With `positives` the term `neighbors` is L_2 of HomoGCL, Section 4.4, over the edges of the
    clean graph: -(1/|E|) Σ_ij S_ij (cos(Z_1i, H_2j) + cos(Z_2i, H_1j)). The paper prints both
    losses as similarities; here both are negated and minimized. Under a mean this term is absent:
    each cosine of L_1 becomes the mean over a node's positives.
    """

    name = "BGRL"
    follows_progress = True
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig, ViewRates):
        hidden_dim: int = 256
        out_dim: int = 128
        activation: Activation = "prelu"
        last_activation: bool = True
        norm: Literal["none", "batch", "layer"] = "batch"
        norm_momentum: float = 0.99
        predictor_dim: int = 512  # hidden width of the predictor
        momentum: float = 0.99  # τ at the start
        drop_edge_1: Probability = 0.4
        drop_edge_2: Probability = 0.1
        mask_feature_1: Probability = 0.1
        mask_feature_2: Probability = 0.2

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.predictor = predictor(config.out_dim, config.predictor_dim)
        self.target = Encoder(config, sizes.features).requires_grad_(False)

    def views(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Return two augmented views."""
        return two_views(graph, self.config, rng)

    def objective(self, views: TwoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the bootstrap loss, and the term of neighbors if there are any."""
        near = self.accept(positives)
        z1, z2 = (self.predictor(self.encoder(view)) for view in (views.first, views.second))
        with torch.no_grad():
            h1, h2 = self.target(views.first), self.target(views.second)
        averaged = near.combined(*MEANS)
        pairs = (averaged.within(views.first), averaged.within(views.second))
        loss = bootstrap_loss(z1, h2, pairs[0]) + bootstrap_loss(z2, h1, pairs[1])
        return {"bootstrap": loss, **neighbor_term(near, (z1, h2), (z2, h1))}

    def after_step(self, progress: float) -> None:
        """Let the target follow."""
        move_target(self.target, self.encoder, target_decay(self.config.momentum, progress))
