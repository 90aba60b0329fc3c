from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.losses.community import community_contrast, density_loss


def assignments(n: int, k: int, seed: int = 0) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.softmax(torch.randn(n, k, generator=rng, dtype=torch.float64) * 2, dim=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_density_equals_the_double_sum_over_a_dense_adjacency(
    block_graph: Data, weighted: bool
) -> None:
    n = int(block_graph.num_nodes or 0)
    graph = Data(x=block_graph.x.double(), edge_index=block_graph.edge_index[:, ::3])
    a = torch.zeros(n, n, dtype=torch.float64)
    values = torch.rand(graph.num_edges, generator=torch.Generator().manual_seed(0)).double()
    if weighted:
        graph.edge_weight = values
    a[graph.edge_index[0], graph.edge_index[1]] = values if weighted else 1.0
    r = assignments(n, 4)
    inside = outside = 0.0
    for i in range(n):
        for j in range(n):
            if a[i, j] != 0:
                for k in range(4):
                    for m in range(4):
                        term = float(a[i, j] * r[i, k] * r[j, m])
                        inside += term if k == m else 0.0
                        outside += term if k != m else 0.0
    expected = 0.7 * outside / (n * (n - 1)) - inside / n + float((r * r).sum()) / (2 * n)
    assert float(density_loss(r, graph, 0.7)) == pytest.approx(expected, rel=1e-12)


def test_density_has_the_right_gradient_on_an_asymmetric_view(block_graph: Data) -> None:
    graph = Data(x=block_graph.x.double(), edge_index=block_graph.edge_index[:, ::3])
    logits = torch.randn(60, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))

    def loss(raw: Tensor) -> Tensor:
        return density_loss(torch.softmax(raw, dim=1), graph, 0.9)

    assert torch.autograd.gradcheck(loss, (logits.requires_grad_(),))


def test_true_blocks_are_denser_than_random_ones(block_graph: Data) -> None:
    rng = torch.Generator().manual_seed(2)
    true = torch.nn.functional.one_hot(block_graph.y).float()
    shuffled = true[torch.randperm(60, generator=rng)]
    assert float(density_loss(true, block_graph, 0.9)) < float(
        density_loss(shuffled, block_graph, 0.9)
    )


def unit(x: Tensor) -> Tensor:
    return torch.nn.functional.normalize(x)


def slow_contrast(
    h: Tensor, other: Tensor, community: list[int], tau: float, gamma: float
) -> float:
    means = {
        c: torch.stack([other[i] for i in range(len(community)) if community[i] == c]).mean(0)
        for c in set(community)
    }
    total = 0.0
    for i, c in enumerate(community):
        own = math.exp(float(h[i] @ means[c]) / tau)
        negative = sum(
            math.exp(-gamma * float((means[c] - m).square().sum()))
            * math.exp(float(h[i] @ m) / tau)
            for other_c, m in means.items()
            if other_c != c
        )
        total -= math.log(own / (own + negative))
    return total / len(community)


@pytest.mark.parametrize("gamma", [0.0, 0.8])
def test_community_contrast_equals_its_formula_with_empty_communities(gamma: float) -> None:
    rng = torch.Generator().manual_seed(4)
    h, other = (unit(torch.randn(9, 5, generator=rng, dtype=torch.float64)) for _ in range(2))
    community = [0, 0, 3, 1, 3, 3, 1, 0, 1]
    result = community_contrast(h, other, torch.tensor(community), 6, 0.3, gamma)
    assert float(result) == pytest.approx(slow_contrast(h, other, community, 0.3, gamma), rel=1e-12)


def test_the_communities_means_are_fixed_marks() -> None:
    rng = torch.Generator().manual_seed(4)
    h, other = (torch.randn(9, 5, generator=rng, dtype=torch.float64) for _ in range(2))
    community = torch.tensor([0, 0, 3, 1, 3, 3, 1, 0, 1])
    assert torch.autograd.gradcheck(
        lambda x: community_contrast(x, other, community, 4, 0.3, 0.1), (h.requires_grad_(),)
    )
    other.requires_grad_()
    grads = torch.autograd.grad(
        community_contrast(h, other, community, 4, 0.3, 0.1), (h, other), allow_unused=True
    )
    assert grads[1] is None
