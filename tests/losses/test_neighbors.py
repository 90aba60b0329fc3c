from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.neighbors import mean_cosine, neighbor_loss, neighbor_term
from tests.reference.neighbors import averaged, cosines, neighbor_mean, weighted_pairs


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


@pytest.mark.parametrize("way", list(Combine))
def test_pairs_have_a_term_only_where_they_are_combined_by_one(
    block_graph: Data, way: Combine
) -> None:
    a, b = vectors(60, 1), vectors(60, 2)
    pairs = replace(weighted_pairs(block_graph.edge_index), combine=way)
    terms = neighbor_term(pairs, (a, b), (2 * b, -a))
    if way is not Combine.TERM:
        assert terms == {}
        return
    slow = -neighbor_mean(a, b, pairs) - neighbor_mean(b, -a, pairs)
    torch.testing.assert_close(terms["neighbors"], slow)
    assert neighbor_term(Positives.none(), (a, b)) == {}


def test_the_mean_over_positives_is_that_of_the_loop(block_graph: Data) -> None:
    a, b, own = vectors(60, 1), vectors(60, 2), vectors(60, 3)[:, 0]
    pairs = weighted_pairs(block_graph.edge_index)
    slow = averaged(own, 7 * cosines(a, b), pairs)
    torch.testing.assert_close(mean_cosine(own, a, b, pairs, unit=7), slow)


def test_neighbors_that_count_nothing_leave_the_own_score() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    a, own = vectors(3, 1), vectors(3, 2)[:, 0]
    assert torch.equal(mean_cosine(own, a, a, Positives(edges, torch.zeros(2).double())), own)


@settings(deadline=None)
@given(order=st.permutations(range(6)))
@example(order=list(range(6)))
def test_pairs_in_another_order_are_refused_and_never_give_another_loss(order: list[int]) -> None:
    edges = torch.tensor([[0, 0, 1, 2, 3, 4], [1, 2, 0, 0, 4, 3]])
    a, b, own = vectors(5, 1), vectors(5, 2), vectors(5, 3)[:, 0]
    pairs = weighted_pairs(edges)
    other = Positives(edges[:, order], pairs.weight[order])
    if order == sorted(order):
        torch.testing.assert_close(neighbor_loss(a, b, other), -neighbor_mean(a, b, pairs))
        slow = averaged(own, cosines(a, b), pairs)
        torch.testing.assert_close(mean_cosine(own, a, b, other), slow)
        return
    with pytest.raises(UserError, match="edge_index"):
        neighbor_loss(a, b, other)
    with pytest.raises(UserError, match="edge_index"):
        mean_cosine(own, a, b, other)
