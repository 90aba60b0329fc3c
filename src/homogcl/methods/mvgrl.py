"""MVGRL: nodes of the graph against a summary of its diffusion, and vice versa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.homophily.positives import Positives
from homogcl.losses.infomax import bilinear, jensen_shannon, readout
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.dgi import permutation
from homogcl.nn.activations import PReLU
from homogcl.nn.layers import GCNLayer, multiply
from homogcl.nn.operators import Normalized
from homogcl.nn.sparse import Sparse


@dataclass(frozen=True)
class OrderViews:
    """The graph, and the order in which its nodes' features are corrupted, [N]."""

    graph: Data
    order: Tensor


class MVGRL(Method):
    """Contrastive multi-view representation learning on graphs (Hassani & Khasahmadi, ICML 2020).

    One GCN layer works on Â, another one on the personalized PageRank S = α(I - (1-α)Â)⁻¹. With
    h, h̃ the nodes and s = σ(mean h) the summary of either view, clean and corrupted,

        L = [h_S W s_A and h_A W s_S against h̃_S W s_A and h̃_A W s_S]

    as in DGI. S x is 20 steps of x ← (1-α) Â x + α x₀, so that S itself is never computed. The
    embeddings are h_A + h_S. Like the released code for nodes, it has no projection heads; unlike
    it, the whole graph is one batch, Â has one loop per node, and S is neither cut nor rescaled.
    """

    name = "MVGRL"

    class Config(Config):
        out_dim: int = 512
        restart: float = 0.2  # α
        diffusion_steps: int = 20

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        d = config.out_dim
        self.adjacency_layer = GCNLayer(sizes.features, d)
        self.diffusion_layer = GCNLayer(sizes.features, d)
        self.adjacency_activation = PReLU()
        self.diffusion_activation = PReLU()
        self.discriminator = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d, d)))

    def views(self, graph: Data, rng: torch.Generator) -> OrderViews:
        """Return the graph and the order of its corruption."""
        return OrderViews(graph, permutation(graph, rng))

    def objective(self, views: OrderViews, positives: Positives = Positives.none()) -> Terms:
        """Return the loss of the discriminator over both directions."""
        h_a, h_s, fake_a, fake_s = self._encode(views.graph, views.order)
        s_a, s_s = readout(h_a), readout(h_s)
        w = self.discriminator
        real = torch.cat([bilinear(h_s, w, s_a), bilinear(h_a, w, s_s)])
        fake = torch.cat([bilinear(fake_s, w, s_a), bilinear(fake_a, w, s_s)])
        return {"infomax": jensen_shannon(real, fake)}

    def embed(self, graph: Data) -> Tensor:
        """Return the sum of both views' embeddings, [N, out_dim]."""
        h_a, h_s = self._encode(graph)
        return h_a + h_s

    def _encode(self, graph: Data, *orders: Tensor) -> list[Tensor]:
        """Return h_A and h_S, [N, d] each, then the same of each corruption."""
        c = self.config
        adjacency = Normalized.of(graph)
        x_a = multiply(graph.x, self.adjacency_layer.weight)
        x_s = multiply(graph.x, self.diffusion_layer.weight)
        rows: tuple[slice | Tensor, ...] = (slice(None), *orders)
        outputs = []
        for order in rows:
            # Shuffling rows and multiplying by W commute, so all orders share the products.
            a = adjacency(x_a[order], self.adjacency_layer.bias)
            s = diffuse(adjacency, x_s[order], c.restart, c.diffusion_steps)
            s = s + self.diffusion_layer.bias
            outputs += [self.adjacency_activation(a), self.diffusion_activation(s)]
        return outputs


def diffuse(adjacency: Normalized, x: Tensor, restart: float, steps: int) -> Tensor:
    """Return S x [N, d], S = α(I - (1-α)Â)⁻¹ with α = `restart`, up to an error of (1-α)^steps."""
    matrix, loops = adjacency.matrix, adjacency.loops
    spread: Tensor = _Diffusion.apply(x, matrix, loops, restart, steps)  # type: ignore[no-untyped-call]
    return spread


class _Diffusion(torch.autograd.Function):
    """A polynomial of Â; its gradient is the polynomial of the transpose, so it saves nothing."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, matrix: Sparse, loops: Tensor, restart: float, steps: int
    ) -> Tensor:
        ctx.rest = (Sparse(matrix.transposed, matrix.csr), loops, restart, steps)
        return _spread(x, matrix.csr, loops, restart, steps)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
        transposed, loops, restart, steps = ctx.rest
        return _spread(grad, transposed.csr, loops, restart, steps), None, None, None, None


def _spread(x: Tensor, csr: Tensor, loops: Tensor, restart: float, steps: int) -> Tensor:
    x = x.contiguous()
    start, loop_weight = restart * x, (1 - restart) * loops
    spread = x
    for _ in range(steps):
        spread = torch.addcmul(start, spread, loop_weight).addmm_(csr, spread, alpha=1 - restart)
    return spread
