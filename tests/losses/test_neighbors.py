from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.losses.neighbors import mean_cosine, neighbor_loss
from tests.reference.neighbors import averaged, cosine, cosines, neighbor_mean, weighted_pairs


def vectors(nodes: int, seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(nodes, 4, generator=rng, dtype=torch.float64)


def test_loss_is_minus_the_weighted_mean_of_cosines(block_graph: Data) -> None:
    a, b = vectors(60, 1), vectors(60, 2)
    pairs = weighted_pairs(block_graph.edge_index)
    torch.testing.assert_close(neighbor_loss(a, b, pairs), -neighbor_mean(a, b, pairs))


def test_exchanging_the_views_changes_nothing_for_symmetric_pairs(block_graph: Data) -> None:
    a, b = vectors(60, 1), vectors(60, 2)
    pairs = weighted_pairs(block_graph.edge_index)
    torch.testing.assert_close(neighbor_loss(a, b, pairs), neighbor_loss(b, a, pairs))


def test_gradient_reaches_both_sides_and_the_weights() -> None:
    edges = torch.tensor([[0, 0, 1, 2, 3, 4], [1, 2, 0, 0, 4, 3]])
    a, b = vectors(5, 1).requires_grad_(), vectors(5, 2).requires_grad_()
    s = torch.tensor([0.2, 0.9, 0.2, 0.9, 0.5, 0.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda a, b, s: neighbor_loss(a, b, Positives(edges, s)), (a, b, s)
    )


def test_aligned_neighbors_cost_less_than_opposed_ones() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    a = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    pairs = Positives(edges, torch.ones(2))
    assert float(neighbor_loss(a, a, pairs)) == -1
    assert float(neighbor_loss(a, -a, pairs)) == 1


def test_averaged_neighbors_weigh_as_one_together() -> None:
    # Node 0 has two neighbors, each of which has node 0 alone; node 3 has none.
    edges = torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
    a, b = vectors(4, 1), vectors(4, 2)
    pairs = replace(Positives(edges, torch.ones(4, dtype=torch.float64)), averaged=True)
    of_zero = (cosine(a[0], b[1]) + cosine(a[0], b[2])) / 2.01
    others = (cosine(a[1], b[0]) + cosine(a[2], b[0])) / 1.01
    assert float(neighbor_loss(a, b, pairs)) == pytest.approx(-float(of_zero + others) / 4)


def test_the_mean_over_positives_is_that_of_the_loop(block_graph: Data) -> None:
    a, b, own = vectors(60, 1), vectors(60, 2), vectors(60, 3)[:, 0]
    pairs = weighted_pairs(block_graph.edge_index)
    slow = averaged(own, 7 * cosines(a, b), pairs)
    torch.testing.assert_close(mean_cosine(own, a, b, pairs, unit=7), slow)


def test_neighbors_that_count_nothing_leave_the_own_score() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    a, own = vectors(3, 1), vectors(3, 2)[:, 0]
    assert torch.equal(mean_cosine(own, a, a, Positives(edges, torch.zeros(2).double())), own)
