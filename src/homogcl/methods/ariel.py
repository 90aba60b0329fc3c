"""ARIEL: contrast with an adversarial view, on a random subgraph at each step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from pydantic import NonNegativeInt, PositiveFloat
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses import Workspace, info_nce
from homogcl.losses.adversarial import Attack, dense_propagation, information_regularizer
from homogcl.losses.contrast.negatives import AllPairs
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Encoder, EncoderConfig, projector
from homogcl.nn.operators import edge_weights
from homogcl.views.augment import ViewRates, clean_view, two_views
from homogcl.views.subgraphs import induced, random_nodes


@dataclass(frozen=True)
class ArielViews:
    """A subgraph, two views of it, and the draws that decide which edges the adversary flips."""

    clean: Data  # `edge_id` counts in the whole graph
    first: Data  # `edge_id` counts in the subgraph
    second: Data
    draws: Tensor  # [n(n-1)/2]


class ARIEL(Method):
    """Adversarial graph contrastive learning (Feng et al., WWW 2022).

    Each step draws the subgraph G of `subgraph_nodes` random nodes and two of GRACE's views of it,
    G1 and G2. An adversarial view G_adv raises the contrast with G1 as far as a budget of flipped
    edges and changed features allows. The loss is

        L_con(G1, G2) + ε1 L_con(G1, G_adv) + λ mean_i max(0, 2 s_i(G1,G2) - s_i(G1,G) - s_i(G2,G))

    where L_con is GRACE's loss, s_i = e^{θ(z_i, z'_i)/τ}, and no gradient flows into the two
    terms with G. ε1 grows by the factor `curriculum_growth` every `curriculum_epochs`; the
    authors' later code, the source of the presets, keeps it constant. Unlike in the released
    code, layers start from Glorot weights, and isolated nodes can be drawn too. Positive pairs
    enter both contrasts of the loss; the adversary raises the contrast without them.
    """

    name = "ARIEL"
    combines = frozenset({Combine.SUM}) | MEANS

    class Config(EncoderConfig, ViewRates):
        encoder: Literal["gcn"] = "gcn"  # the attack differentiates through its propagation
        projector_dim: NonNegativeInt = 0  # hidden width of the projector; 0 for none
        temperature: PositiveFloat = 0.5  # τ
        subgraph_nodes: int = 500  # n
        adversarial_weight: float = 1.0  # ε1
        information_weight: float = 0.0  # λ
        curriculum_growth: float = 1.0  # γ
        curriculum_epochs: int = 20  # T
        attack_steps: int = 5
        attack_edge_share: float = 0.2  # share of the edges that may flip
        attack_edge_step: float = 200.0  # α
        attack_feature_step: float = 0.01  # β
        attack_feature_limit: float = 0.04

    step: Tensor  # int64 []

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.projector = projector(config.out_dim, config.projector_dim)
        self.workspace = Workspace()
        self.register_buffer("step", torch.zeros((), dtype=torch.long))

    def views(self, graph: Data, rng: torch.Generator) -> ArielViews:
        """Return a random subgraph, two augmented views of it and the adversary's draws."""
        c = self.config
        clean = induced(graph, random_nodes(graph, c.subgraph_nodes, rng))
        if clean.x.layout == torch.sparse_csr:
            clean.x = clean.x.to_dense()
        whole = clean_view(clean)
        n = int(clean.num_nodes or 0)
        draws = torch.rand(n * (n - 1) // 2, generator=rng, device=rng.device)
        both = two_views(whole, c, rng)
        return ArielViews(clean, both.first, both.second, draws.to(graph.edge_index.device))

    def objective(self, views: ArielViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrast, the adversarial contrast and the information regularizer."""
        near = self.accept(positives)
        c = self.config
        pairs = near.on(views.clean)
        u, v = self._project(views.first), self._project(views.second)
        in_first = pairs.within(views.first)
        terms = {"contrast": self._contrast(u, v, (in_first, pairs.within(views.second)))}
        if c.adversarial_weight > 0:
            adjacency, x = self._adversary(views, u.detach())
            w = self._dense(adjacency, x)
            there = (
                pairs
                if pairs.is_empty
                else replace(pairs, present=adjacency[*pairs.edge_index] > 0)
            )
            terms["adversarial"] = self._contrast(u, w, (in_first, there))
        if c.information_weight > 0:
            with torch.no_grad():
                z = self._project(views.clean)
            terms["information"] = information_regularizer(u, v, z, c.temperature)
        return terms

    def term_weights(self) -> dict[str, float]:
        """Return ε1 at this step of the curriculum, and λ."""
        c = self.config
        growth = c.curriculum_growth ** (int(self.step) // c.curriculum_epochs)
        return {"adversarial": c.adversarial_weight * growth, "information": c.information_weight}

    def after_step(self, progress: float) -> None:
        """Count the step."""
        self.step += 1

    def _project(self, graph: Data) -> Tensor:
        z: Tensor = self.projector(self.encoder(graph))
        return z

    def _contrast(self, u: Tensor, v: Tensor, pairs: tuple[Positives, Positives]) -> Tensor:
        negatives = AllPairs(self.workspace, self.sharing.pairs)
        return info_nce(u, v, self.config.temperature, pairs, negatives)

    def _dense(self, adjacency: Tensor, x: Tensor) -> Tensor:
        """Return the projections of a graph with a dense adjacency, [n, out_dim]."""
        propagate, h = dense_propagation(adjacency), x
        for layer, tail in zip(self.encoder.layers, self.encoder.tails, strict=True):
            h = tail(layer(h, propagate))
        z: Tensor = self.projector(h)
        return z

    def _adversary(self, views: ArielViews, u: Tensor) -> tuple[Tensor, Tensor]:
        c, graph = self.config, views.clean
        adjacency = u.new_zeros(u.size(0), u.size(0))
        adjacency[*graph.edge_index] = edge_weights(graph)
        attack = Attack(
            c.attack_steps,
            c.attack_edge_share,
            c.attack_edge_step,
            c.attack_feature_step,
            c.attack_feature_limit,
        )
        training = self.training
        self.eval()
        negatives = AllPairs(ranks=self.sharing.pairs)
        try:
            return attack.worst(
                lambda a, x: info_nce(u, self._dense(a, x), c.temperature, negatives=negatives),
                adjacency,
                graph.x,
                views.draws,
            )
        finally:
            self.train(training)
