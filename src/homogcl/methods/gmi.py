"""GMI: a node's embedding against the features and the edges of its neighborhood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Positives
from homogcl.losses.infomax import jensen_shannon
from homogcl.losses.reconstruction import reconstruction
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.gae import other_pairs
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.nn.layers import multiply
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern


@dataclass(frozen=True)
class GMIViews:
    """The graph and a step's false pairs."""

    graph: Data  # the clean graph
    strangers: Tensor  # pairs (i, k) of each node with random other nodes, sorted, int64 [2, N n]
    negatives: Tensor | None  # pairs that are not edges; `None` means all of them


class GMI(Method):
    """Graphical mutual information (Peng et al., WWW 2020).

    With the discriminator D(h, x) = σ(hᵀ Θ x), the softplus sp and random other nodes k,

        I(h_i; x_j) = -sp(-D(h_i, x_j)) - E_k sp(D(h_i, x_k))
        L = -mean_i [α I(h_i; x_i) + β Σ_{j∈N(i)} w_ij I(h_i; x_j)] + γ L_edges

    where w_ij is 1/|N(i)| (`mean`) or σ(h_iᵀ h_j) without gradient (`adaptive`). L_edges is the
    cross-entropy of σ(h_iᵀ h_j) with A + I, with equal weight for edges and other pairs: all
    pairs up to `all_pairs_up_to` nodes, sampled ones on larger graphs. The released code has only
    the mean. Instead of the sum over j, it contrasts h_i with the mean of compressed neighbors
    under a second discriminator, and it weights edges double.
    """

    name = "GMI"

    class Config(EncoderConfig):
        num_layers: int = 1
        hidden_dim: int = 512
        out_dim: int = 512
        activation: Activation = "prelu"
        last_activation: bool = True
        neighbor_weights: Literal["mean", "adaptive"] = "mean"  # w
        num_negatives: int = 5  # nodes k for each i
        own_weight: float = 0.8  # α
        neighborhood_weight: float = 1.0  # β
        edges_weight: float = 1.0  # γ
        all_pairs_up_to: int = 5_000  # nodes; on larger graphs, pairs are sampled

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        theta = torch.empty(sizes.features, config.out_dim)
        self.discriminator = nn.Parameter(nn.init.xavier_uniform_(theta))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Refuse a graph with too few nodes for the negatives."""
        others, count = int(graph.num_nodes or 0) - 1, self.config.num_negatives
        if others < count:
            raise UserError(
                f"num_negatives={count} is more than the {others} other nodes there are"
            )

    def views(self, graph: Data, rng: torch.Generator) -> GMIViews:
        """Return the clean graph, random other nodes for each node, and sampled non-edges."""
        n, m = int(graph.num_nodes or 0), self.config.num_negatives
        node = torch.arange(n, device=graph.edge_index.device).repeat_interleave(m)
        step = torch.randint(1, n, (n * m,), generator=rng, device=rng.device)
        strangers = torch.stack([node, (node + step.to(node.device)) % n])
        return GMIViews(graph, strangers, other_pairs(graph, self.config.all_pairs_up_to, rng))

    def objective(self, views: GMIViews, positives: Positives = Positives.none()) -> Terms:
        """Return the information on own features, on neighbors' features and on edges."""
        edge_index = views.graph.edge_index
        n = int(views.graph.num_nodes or 0)
        h = self.encoder(views.graph)
        t = multiply(views.graph.x, self.discriminator)  # Θ x, [N, d]
        edges = Pattern.of(edge_index, n)
        strangers = Pattern.of(views.strangers, n)
        false = pair_products(h, t, strangers).sigmoid()
        against = functional.softplus(false).view(n, -1).mean(1)  # [N]
        near = functional.softplus(-pair_products(h, t, edges).sigmoid()) + against[edges.row]
        return {
            "own": jensen_shannon((h * t).sum(1).sigmoid(), false),
            "neighborhood": (self._weights(h.detach(), edges) * near).sum() / n,
            "edges": reconstruction(h, edge_index, views.negatives),
        }

    def term_weights(self) -> dict[str, float]:
        """Return α, β and γ."""
        c = self.config
        near, edges = c.neighborhood_weight, c.edges_weight
        return {"own": c.own_weight, "neighborhood": near, "edges": edges}

    def _weights(self, h: Tensor, edges: Pattern) -> Tensor:
        if self.config.neighbor_weights == "adaptive":
            return pair_products(h, h, edges).sigmoid()
        return edges.crow.diff().to(h.dtype).reciprocal()[edges.row]
