"""ProGCL: negatives weighted by how likely they are true and by how similar they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses import Workspace, info_nce
from homogcl.losses.beta_mixture import BetaMixture, fit_beta_mixture
from homogcl.losses.contrast.negatives import AllPairs, Weighted
from homogcl.losses.contrast.weighted import Hardness
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.gca import AdaptiveConfig, AdaptiveViews
from homogcl.nn.encoders import Encoder, projector
from homogcl.views.augment import TwoViews
from homogcl.views.centrality import Centrality


@dataclass(frozen=True)
class ProViews:
    """Two views, and the nodes whose similarities the mixture is fitted to."""

    both: TwoViews
    sample: Tensor  # int64 [fit_nodes]


class ProGCL(Method):
    """ProGCL-weight (Xia et al., ICML 2022).

    With s_ij = (θ(u_i, v_j) + 1) / 2 and p(true | s) the posterior of the lower component of a
    two-component beta mixture over such similarities, the negatives of GRACE's loss have weights

        w_ij = p(true | s_ij) s_ij / mean_{k≠i} p(true | s_ik) s_ik

    The weight of node j comes from its similarity in the other view, also if it is a negative in
    the anchor's own view. Before `start_epoch` the loss is GRACE's. From then on the mixture is
    fitted every `refit_every` epochs to the similarities of `fit_nodes` random nodes to all
    others, and the weights follow the current embeddings. `weights="released"` does what the
    published code does: it fits once, own pairs included, freezes the weights at that epoch, and
    uses those of the first view's anchors for the second view too. In neither case is a weight
    matrix in memory.
    """

    name = "ProGCL"
    combines = frozenset({Combine.SUM}) | MEANS
    takes_batches = False  # drop rates depend on all edges

    class Config(AdaptiveConfig):
        centrality: Centrality = "eigenvector"
        start_epoch: int = Field(default=400, ge=0)  # E; plain GRACE before it
        refit_every: int = Field(default=10, ge=1)
        fit_nodes: int = Field(default=100, ge=1)
        false_share: float = Field(default=0.05, gt=0, lt=1)  # of negatives, where EM starts
        em_iterations: int = Field(default=10, ge=1)
        weights: Literal["paper", "released"] = "paper"  # how to compute them

    step: Tensor  # int64 []
    mixture: Tensor  # rows α, β and weight, [3, 2]

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)
        self.adaptive = AdaptiveViews(config)
        self.workspace = Workspace()
        self.register_buffer("step", torch.zeros((), dtype=torch.long))
        self.register_buffer("mixture", torch.ones(3, 2, dtype=torch.double))
        # Unit vectors of both views, [2, N, d]; only weights="released" has them.
        self.frozen = torch.empty(0)

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Compute the centralities."""
        self.adaptive.prepare(graph)

    def views(self, graph: Data, rng: torch.Generator) -> ProViews:
        """Return two adaptively augmented views and the nodes for a fit."""
        size = (self.config.fit_nodes,)
        sample = torch.randint(int(graph.num_nodes or 0), size, generator=rng, device=rng.device)
        return ProViews(self.adaptive.draw(graph, rng), sample.to(graph.edge_index.device))

    def objective(self, views: ProViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrastive loss, its negatives weighted from `start_epoch` on."""
        near = self.accept(positives)
        first, second = views.both.first, views.both.second
        u, v = self.projector(self.encoder(first)), self.projector(self.encoder(second))
        pairs = (near.within(first), near.within(second))
        tau = self.config.temperature
        if int(self.step) < self.config.start_epoch:
            negatives = AllPairs(self.workspace, self.sharing.pairs)
            return {"contrast": info_nce(u, v, tau, pairs, negatives)}
        self._refit(u.detach(), v.detach(), views.sample)
        frozen = (self.frozen[0], self.frozen[1]) if self.frozen.numel() else None
        weighted = Weighted(Hardness(self.hardness, frozen))
        return {"contrast": info_nce(u, v, tau, pairs, weighted)}

    def hardness(self, cosine: Tensor) -> Tensor:
        """Return p(true | s) s for cosines θ, in the shape of `cosine`."""
        s = (cosine + 1) / 2
        return BetaMixture(*self.mixture).posterior_low(s).mul_(s)

    def after_step(self, progress: float) -> None:
        """Count the step."""
        self.step += 1

    def get_extra_state(self) -> Tensor:
        """Return the frozen vectors, a part of the state that is empty before the fit."""
        return self.frozen

    def set_extra_state(self, state: Tensor) -> None:
        """Restore the frozen vectors."""
        self.frozen = state

    def _refit(self, u: Tensor, v: Tensor, sample: Tensor) -> None:
        c = self.config
        released = c.weights == "released"
        since = int(self.step) - c.start_epoch
        if since % c.refit_every or (released and self.frozen.numel()):
            return
        u, v = functional.normalize(u), functional.normalize(v)
        s = (u @ v[sample].t() + 1) / 2  # [N, fit_nodes]
        own = torch.arange(u.size(0), device=u.device)[:, None] == sample
        fit = fit_beta_mixture(s.flatten() if released else s[~own], c.false_share, c.em_iterations)
        self.mixture = torch.stack([fit.alpha, fit.beta, fit.weight])
        if released:
            self.frozen = torch.stack([u, v])
