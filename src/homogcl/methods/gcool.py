"""gCooL: contrast of nodes with nodes, and with communities that are learned too."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.community import community_contrast, density_loss
from homogcl.losses.contrast.info_nce import info_nce
from homogcl.losses.contrast.negatives import CrossView
from homogcl.losses.contrast.tiles import Workspace
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.gca import AdaptiveConfig, AdaptiveViews
from homogcl.nn.encoders import Encoder, projector
from homogcl.views.augment import TwoViews


class GCooL(Method):
    """Graph communal contrastive learning (Li et al., WWW 2022).

    Nodes are contrasted between two of GCA's views, with negatives from the other view only:

        -log e^{h1_i·h2_i/τ} / Σ_j e^{h1_i·h2_j/τ}, in both directions

    Communities are R = softmax(h·c/τ) with learned centers c. DeCA moves the centers so that
    edges lie inside communities, and L_community contrasts each node with the communities' means
    in the other view:

        L = L_node + α(t) [e^{-t/T} DeCA + (1 - e^{-t/T}) L_community]
        α(t) = max(0, 1 - t / (0.2 T))

    The released code takes the node contrast in one direction only and has no reweighting by γ;
    there an empty community is a zero vector that still counts as a negative.
    """

    name = "gCooL"
    combines = frozenset({Combine.SUM}) | MEANS
    takes_batches = False  # drop rates depend on all edges

    class Config(AdaptiveConfig):
        num_communities: int = Field(default=10, ge=2)
        inter_weight: float = 0.9  # λ: edges between communities in DeCA
        reweighting: float = 8e-5  # γ: lowers the weight of far communities as negatives
        stride: int = Field(default=500, ge=1)  # T, in epochs
        fade: float = Field(default=0.2, gt=0)  # share of T after which the communities' part ends

    step: Tensor  # int64 []

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.workspace = Workspace()
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)
        self.centers = nn.Parameter(torch.randn(config.num_communities, config.out_dim))
        self.adaptive = AdaptiveViews(config)
        self.register_buffer("step", torch.zeros((), dtype=torch.long))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Compute the centralities."""
        self.adaptive.prepare(graph)

    def views(self, graph: Data, rng: torch.Generator) -> TwoViews:
        """Return two adaptively augmented views."""
        return self.adaptive.draw(graph, rng)

    def objective(self, views: TwoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the node contrast and, until α(t) is 0, DeCA and the community contrast."""
        near = self.accept(positives)
        c = self.config
        u, v = self._project(views.first), self._project(views.second)
        pairs = (near.within(views.first), near.within(views.second))
        negatives = CrossView(self.workspace, self.sharing.pairs)
        terms = {"contrast": info_nce(u, v, c.temperature, pairs, negatives)}
        if self._fading() > 0:
            r_u, r_v = self.communities(u), self.communities(v)
            terms["density"] = 0.5 * (
                density_loss(r_u, views.first, c.inter_weight)
                + density_loss(r_v, views.second, c.inter_weight)
            )
            terms["community"] = 0.5 * (self._communal(u, v, r_v) + self._communal(v, u, r_u))
        return terms

    def term_weights(self) -> dict[str, float]:
        """Return the weights of DeCA and of the community contrast at this step."""
        early = math.exp(-int(self.step) / self.config.stride)
        fading = self._fading()
        return {"density": fading * early, "community": fading * (1 - early)}

    def communities(self, h: Tensor) -> Tensor:
        """Return R, [N, num_communities]; only the centers learn through it."""
        logits = h.detach() @ functional.normalize(self.centers).t()
        return torch.softmax(logits / self.config.temperature, dim=1)

    def after_step(self, progress: float) -> None:
        """Count the step."""
        self.step += 1

    def _project(self, graph: Data) -> Tensor:
        return functional.normalize(self.projector(self.encoder(graph)))

    def _communal(self, h: Tensor, other: Tensor, r: Tensor) -> Tensor:
        c = self.config
        return community_contrast(
            h, other, r.argmax(1), c.num_communities, c.temperature, c.reweighting
        )

    def _fading(self) -> float:
        """Return α(t)."""
        return max(0.0, 1 - int(self.step) / (self.config.fade * self.config.stride))
