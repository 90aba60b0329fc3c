from __future__ import annotations

import pytest
import torch
from torch import Tensor

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.edge_prediction import edge_loss
from tests.reference.neighbors import symmetric_pairs, weighted_pairs

PLACE = torch.tensor([0, 3, 4, 7, 9])


def numbers(seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.rand(5, generator=rng, dtype=torch.float64) + 0.1


def pairs(combine: Combine) -> Positives:
    return weighted_pairs(symmetric_pairs(6, seed=1, density=0.6), combine)


def slow(losses: Tensor, own: Tensor, near: Positives) -> Tensor:
    """The loss edge by edge."""
    source = near.edge_index[0].tolist()
    weights = []
    for each, place in zip(own, PLACE.tolist(), strict=True):
        degree = source.count(source[place]) + 0.01 if near.combine is Combine.MEAN else 1.0
        weights.append(each * near.weight[place] / degree)
    total = torch.stack([w * loss for w, loss in zip(weights, losses, strict=True)]).sum() / 5
    return total if near.combine is Combine.TERM else total * own.sum() / torch.stack(weights).sum()


@pytest.mark.parametrize("combine", [Combine.TERM, Combine.MEAN, Combine.WEIGHTED_MEAN])
def test_loss_and_gradient_are_the_formula_edge_by_edge(combine: Combine) -> None:
    near = pairs(combine)
    losses, weight = numbers(1).requires_grad_(), near.weight.clone().requires_grad_()
    near = Positives(near.edge_index, weight, combine=combine)
    ours, expected = edge_loss(losses, numbers(2), near, PLACE), slow(losses, numbers(2), near)
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(
        torch.autograd.grad(ours, (losses, weight)), torch.autograd.grad(expected, (losses, weight))
    )
    assert torch.autograd.gradcheck(
        lambda x, w: edge_loss(
            x, numbers(2), Positives(near.edge_index, w, combine=combine), PLACE
        ),
        (losses, weight),
    )


def test_without_positives_it_is_the_mean_by_the_own_weights() -> None:
    result = edge_loss(numbers(1), numbers(2), Positives.none(), PLACE)
    torch.testing.assert_close(result, (numbers(1) * numbers(2)).mean())


@pytest.mark.parametrize("combine", [Combine.TERM, Combine.WEIGHTED_MEAN])
def test_edges_that_all_weigh_one_change_nothing(combine: Combine) -> None:
    edge_index = symmetric_pairs(6, seed=1, density=0.6)
    equal = torch.ones(edge_index.size(1), dtype=torch.float64)
    near = Positives(edge_index, equal, combine=combine)
    alone = edge_loss(numbers(1), numbers(2), Positives.none(), PLACE)
    torch.testing.assert_close(edge_loss(numbers(1), numbers(2), near, PLACE), alone)


def test_under_a_mean_a_common_factor_of_all_weights_changes_nothing() -> None:
    near = pairs(Combine.MEAN)
    less = Positives(near.edge_index, near.weight / 3, combine=near.combine)
    torch.testing.assert_close(
        edge_loss(numbers(1), numbers(2), near, PLACE),
        edge_loss(numbers(1), numbers(2), less, PLACE),
    )


@pytest.mark.parametrize("near", [Positives.none(), pairs(Combine.MEAN)])
def test_nothing_predicted_is_no_loss(near: Positives) -> None:
    empty = torch.empty(0, dtype=torch.float64)
    assert float(edge_loss(empty, empty, near, PLACE[:0])) == 0.0
