"""GRACE: node-level contrast between two random views of the graph."""

from __future__ import annotations

import torch
from pydantic import NonNegativeInt, PositiveFloat
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, SUMS, Positives
from homogcl.losses import info_nce
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.negatives import ContrastNegatives, ContrastViews, NegativesConfig
from homogcl.nn.encoders import Encoder, EncoderConfig, projector
from homogcl.views.augment import TwoViews, ViewRates, two_views


class GRACE(Method):
    """Deep graph contrastive representation learning (Zhu et al., 2020).

    Each step draws two views by dropping edges and masking feature columns, encodes both with
    one network, and minimizes the symmetric InfoNCE loss. The only positive of a node is itself
    in the other view; all other nodes of both views are negatives:

        -log e^{θ(u_i,v_i)/τ} / (Σ_j e^{θ(u_i,v_j)/τ} + Σ_{j≠i} e^{θ(u_i,u_j)/τ})

    With `negatives="sampled"` the sums over negatives are estimated, without bias, from
    `num_negatives` nodes, drawn uniformly or by `negative_clusters` clusters of the vectors.

    With `positives` it is the loss of HomoGCL, Eq. (7)-(10) of its paper. The embeddings are the
    encoder's output on the clean graph; the projector serves the loss only.
    """

    name = "GRACE"
    combines = SUMS | MEANS

    class Config(EncoderConfig, ViewRates, NegativesConfig):
        """Settings of GRACE."""

        projector_dim: NonNegativeInt = 0  # hidden width of the projector; 0 for none
        temperature: PositiveFloat = 0.5  # τ

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Build the encoder and the projector."""
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)
        self.negatives = ContrastNegatives(config, config.out_dim)

    def check(self, nodes: int) -> None:
        """Refuse negatives that do not fit the nodes."""
        self.negatives.check(nodes)

    def views(self, graph: Data, rng: torch.Generator) -> ContrastViews:
        """Return two augmented views."""
        return self.negatives.draw(two_views(graph, self.config, rng), rng)

    def objective(self, views: ContrastViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrastive loss."""
        near = self.accept(positives)
        u, v = self.compared(views)
        pairs = (near.within(views.first), near.within(views.second))
        negatives = self.negatives.of(views, u, self.sharing)
        return {"contrast": info_nce(u, v, self.config.temperature, pairs, negatives)}

    def compared(self, views: TwoViews) -> tuple[Tensor, Tensor]:
        """Return the vectors of both views that the loss compares by cosine, [N, out_dim] each."""
        u, v = self.projector(self.encoder(views.first)), self.projector(self.encoder(views.second))
        return u, v
