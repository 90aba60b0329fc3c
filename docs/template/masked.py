"""A method in a file of its own: copy it, give it a name, write your views and your objective."""

from __future__ import annotations

import torch
from pydantic import PositiveFloat
from torch import Tensor
from torch_geometric.data import Data

from homogcl import Positives, info_nce, mask_features
from homogcl.core.config import Probability
from homogcl.homophily.positives import MEANS, SUMS
from homogcl.methods.registry import Method, Sizes
from homogcl.nn.encoders import Encoder, EncoderConfig
from homogcl.views.augment import TwoViews


class Masked(Method):
    """Contrast of two copies of the graph whose features are partly masked.

    Each node is to be told from all others by its twin in the other copy:

        -log e^{θ(u_i,v_i)/τ} / (Σ_j e^{θ(u_i,v_j)/τ} + Σ_{j≠i} e^{θ(u_i,u_j)/τ})
    """

    name = "Masked"  # as your paper prints it
    combines = SUMS | MEANS  # how `objective` takes neighbor pairs, so that plug-ins work

    class Config(EncoderConfig):
        """Settings, each with the default that just works."""

        mask_feature: Probability = 0.3  # of masking a column
        temperature: PositiveFloat = 0.5  # τ

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Build the networks; torch's generator is seeded already."""
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)

    def views(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Draw everything random of one step, from `rng` alone."""
        rate = self.config.mask_feature
        return TwoViews(mask_features(graph, rate, rng), mask_features(graph, rate, rng))

    def objective(
        self, views: TwoViews, positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        """Return the named scalars to minimize."""
        near = self.accept(positives)
        u, v = self.encoder(views.first), self.encoder(views.second)
        pairs = (near.within(views.first), near.within(views.second))
        return {"contrast": info_nce(u, v, self.config.temperature, pairs)}

    def embed(self, graph: Data) -> Tensor:
        """Return the embeddings of the clean graph, [N, out_dim]."""
        h: Tensor = self.encoder(graph)
        return h
