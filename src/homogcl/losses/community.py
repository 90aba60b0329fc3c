"""Soft communities: their density, and the contrast of nodes with communities."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.nn.operators import edge_weights
from homogcl.nn.sparse import Pattern, product


def density_loss(r: Tensor, graph: Data, inter_weight: float) -> Tensor:
    """Return gCooL's DeCA loss to minimize: edges should lie inside communities.

    With R the assignments [N, k], F = Rᵀ A R and λ = `inter_weight`, it is
    λ (ΣF - tr F) / (N(N-1)) - tr F / N + tr(RᵀR) / 2N. The last part favors soft assignments;
    nothing keeps one community from taking all nodes. A stays sparse.
    """
    n = r.size(0)
    adjacency = Pattern.of(graph.edge_index, n).with_values(edge_weights(graph).to(r.dtype))
    f = r.t() @ product(adjacency, r)  # [k, k]
    inside = f.trace()
    outside = (f.sum() - inside) / max(n * (n - 1), 1)
    return inter_weight * outside - inside / n + r.square().sum() / (2 * n)


def community_contrast(
    h: Tensor, other: Tensor, community: Tensor, k: int, temperature: float, reweighting: float
) -> Tensor:
    """Return the loss to minimize: nodes against the community means of the other view.

    -log e^{h_i·m_c/τ} / (e^{h_i·m_c/τ} + Σ_{l≠c} e^{-γ‖m_c - m_l‖²} e^{h_i·m_l/τ}), with h the unit
    vectors of one view [N, d], c the community of node i in the other one and m_l the mean of the
    other view's unit vectors [N, d] in community l, of k. The means carry no gradient; empty
    communities are left out.
    """
    member = functional.one_hot(community, k).to(h.dtype)  # [N, k]
    size = member.sum(0)
    means = (member.t() @ other.detach()) / size.clamp(min=1)[:, None]
    distances = (means[:, None] - means).square().sum(2)  # [k, k]
    logits = h @ means.t() / temperature - reweighting * distances[community]
    return functional.cross_entropy(logits.masked_fill(size == 0, -torch.inf), community)
