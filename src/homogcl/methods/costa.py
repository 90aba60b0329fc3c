"""COSTA: contrast between random sketches of two views, instead of between nodes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from pydantic import Field, NonNegativeInt, PositiveFloat
from torch_geometric.data import Data

from homogcl.core.config import Probability
from homogcl.core.seeds import drawn_seed
from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.contrast.info_nce import info_nce
from homogcl.losses.contrast.negatives import CrossView
from homogcl.losses.contrast.tiles import Workspace
from homogcl.losses.neighbors import neighbor_term
from homogcl.losses.sketch import Sketch
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Encoder, EncoderConfig, projector
from homogcl.views.augment import ViewRates, two_views


@dataclass(frozen=True)
class SketchedViews:
    """Two views of one graph, and one sketch for both."""

    first: Data
    second: Data
    sketch: Sketch


class COSTA(Method):
    """Covariance-preserving feature augmentation, multi-view (Zhang et al., 2022).

    Each step draws two augmented views and one matrix P [k, N] with entries N(0, 1/k), which
    preserves the covariance of the rows: E[(PH)ᵀ(PH)] = HᵀH. With U, V the projections of P H_1
    and P H_2, the loss over the k sketched rows, averaged over both directions, is

        -log e^{θ(u_i,v_i)/τ} / Σ_j e^{θ(u_i,v_j)/τ}

    The authors' code masks the features of both views at the first view's rate; here each view
    has its own rate. P is never in memory as a whole.

    A sketched row is a mixture of all nodes and has no neighbors. With `positives`, the pairs
    therefore enter as a separate term over the projections z of the nodes themselves,
    `neighbors` = -(1/|E|) Σ_ij S_ij cos(z_1i, z_2j), and the contrast does not change.
    """

    name = "COSTA"
    combines = frozenset({Combine.TERM})

    class Config(EncoderConfig, ViewRates):
        hidden_dim: int = 256
        last_activation: bool = True
        projector_dim: NonNegativeInt = 256  # hidden width of the projector; 0 for none
        temperature: PositiveFloat = 0.4  # τ
        sketch_ratio: float = Field(default=0.5, gt=0)  # k / N
        drop_edge_1: Probability = 0.2
        drop_edge_2: Probability = 0.4
        mask_feature_1: Probability = 0.3
        mask_feature_2: Probability = 0.4

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.workspace = Workspace()
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)

    def views(self, graph: Data, rng: torch.Generator) -> SketchedViews:
        """Return two augmented views and the step's sketch."""
        c = self.config
        seed = drawn_seed(rng)
        rows = max(1, int(c.sketch_ratio * int(graph.num_nodes or 0)))
        both = two_views(graph, c, rng)
        return SketchedViews(both.first, both.second, Sketch(rows, seed))

    def objective(self, views: SketchedViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrastive loss of the sketches, and the term of neighbors if any."""
        near = self.accept(positives)
        h1, h2 = self.encoder(views.first), self.encoder(views.second)
        # Sketch both views together, so that the blocks of P are drawn once.
        sketched = views.sketch(torch.cat([h1, h2], dim=1))
        u, v = (self.projector(half) for half in sketched.chunk(2, dim=1))
        negatives = CrossView(self.workspace, self.sharing.pairs)
        loss = info_nce(u, v, self.config.temperature, negatives=negatives)
        # Nodes themselves are projected only where they have neighbors to agree with.
        sides = [] if near.is_empty else [(self.projector(h1), self.projector(h2))]
        return {"contrast": loss, **neighbor_term(near, *sides)}
