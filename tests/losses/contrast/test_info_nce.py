from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.utils import coalesce

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine, Positives
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs
from tests.reference.info_nce import Edges, slow_averaged_nce, slow_info_nce

TEMPERATURES = [1e-3, 1e-2, 0.1, 0.5, 1.0, 30.0, 1e3]


@dataclass(frozen=True)
class Case:
    """Two views, weighted pairs, and which of the pairs are neighbors in either view."""

    u: Tensor
    v: Tensor
    edge_index: Tensor
    weight: Tensor
    present: tuple[Tensor | None, Tensor | None]

    @property
    def positives(self) -> tuple[Positives, Positives]:
        """The pairs as `info_nce` takes them."""
        first, second = (Positives(self.edge_index, self.weight, mask) for mask in self.present)
        return first, second

    @property
    def saliency(self) -> Tensor:
        """S as a matrix, [N, N], in the autograd graph of `weight`."""
        n = self.u.size(0)
        row, col = self.edge_index
        return torch.zeros(n, n, dtype=self.weight.dtype).index_put((row, col), self.weight)

    @property
    def edges(self) -> tuple[Edges, Edges]:
        """The neighbors in either view."""
        pairs = self.edge_index.t().tolist()
        first, second = (
            {(i, j) for p, (i, j) in enumerate(pairs) if mask is None or bool(mask[p])}
            for mask in self.present
        )
        return first, second

    def to(self, dtype: torch.dtype) -> Case:
        """The same in another number format."""
        u, v, weight = (x.to(dtype) for x in (self.u, self.v, self.weight))
        return replace(self, u=u, v=v, weight=weight)

    def leaves(self) -> Case:
        """A copy whose tensors collect gradients."""
        u, v, weight = (x.clone().requires_grad_() for x in (self.u, self.v, self.weight))
        return replace(self, u=u, v=v, weight=weight)


def make_case(
    nodes: int, seed: int, *, density: float = 0.4, dropped: float | None = 0.4, low: float = 0.0
) -> Case:
    """Random views; pairs at the given density, each direction dropped at the given rate.

    With `dropped=None` no mask is given at all. The weights lie in [low, 1].
    """
    rng = torch.Generator().manual_seed(seed)
    u, v = (torch.randn(nodes, 4, generator=rng, dtype=torch.float64) for _ in range(2))
    half = (torch.rand(nodes, nodes, generator=rng) < density).triu(1).nonzero().t()
    edge_index = coalesce(torch.cat([half, half.flip(0)], 1), num_nodes=nodes)
    count = edge_index.size(1)
    weight = low + (1 - low) * torch.rand(count, generator=rng, dtype=torch.float64)
    if dropped is None:
        return Case(u, v, edge_index, weight, (None, None))
    first, second = (torch.rand(count, generator=rng) >= dropped for _ in range(2))
    return Case(u, v, edge_index, weight, (first, second))


cases = st.builds(
    make_case,
    nodes=st.integers(1, 7),
    seed=st.integers(0, 10_000),
    density=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    dropped=st.sampled_from([None, 0.0, 0.4, 1.0]),
    low=st.just(0.05),
)


def loss_and_gradients(
    case: Case,
    temperature: float = 0.5,
    *,
    tile: int | None = None,
    workspace: Workspace | None = None,
) -> tuple[Tensor, ...]:
    """The loss and its gradients to both views and the weights."""
    case = case.leaves()
    loss = info_nce(
        case.u, case.v, temperature, case.positives, AllPairs(workspace or Workspace(), tile=tile)
    )
    return loss.detach(), *torch.autograd.grad(loss, (case.u, case.v, case.weight))


def slow_loss_and_gradients(case: Case, temperature: float = 0.5) -> tuple[Tensor, ...]:
    """The same by the loop."""
    case = case.leaves()
    loss = slow_info_nce(case.u, case.v, temperature, case.saliency, case.edges)
    inputs = (case.u, case.v, case.weight)
    grads = torch.autograd.grad(loss, inputs, allow_unused=True, materialize_grads=True)
    return loss.detach(), *grads


@settings(deadline=None, max_examples=40)
@given(case=cases, tile=st.integers(1, 9), temperature=st.sampled_from([0.05, 0.5, 2.0]))
def test_loss_and_gradients_are_those_of_the_loop(
    case: Case, tile: int, temperature: float
) -> None:
    ours = loss_and_gradients(case, temperature, tile=tile)
    torch.testing.assert_close(
        ours, slow_loss_and_gradients(case, temperature), rtol=1e-9, atol=1e-11
    )


@settings(deadline=None, max_examples=20)
@given(nodes=st.integers(1, 7), seed=st.integers(0, 10_000), tile=st.integers(1, 9))
def test_loss_without_neighbors_is_graces(nodes: int, seed: int, tile: int) -> None:
    case = make_case(nodes, seed)
    ours = info_nce(case.u, case.v, 0.4, negatives=AllPairs(tile=tile))
    torch.testing.assert_close(ours, slow_info_nce(case.u, case.v, 0.4), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_any_temperature_is_exact(temperature: float) -> None:
    case = make_case(6, seed=4, low=0.05)
    ours = loss_and_gradients(case, temperature, tile=4)
    assert all(bool(x.isfinite().all()) for x in ours)
    # The logits are as long as 1/τ, and each gradient is a difference of terms of that size.
    torch.testing.assert_close(
        ours, slow_loss_and_gradients(case, temperature), rtol=1e-8, atol=1e-13 / temperature
    )


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_pairs_of_weight_zero_do_no_harm_at_any_temperature(temperature: float) -> None:
    case = make_case(6, seed=4)
    case = replace(case, weight=torch.zeros_like(case.weight))
    ours = info_nce(case.u, case.v, temperature, case.positives)
    slow = slow_info_nce(case.u, case.v, temperature, case.saliency, case.edges)
    torch.testing.assert_close(ours, slow, rtol=1e-9, atol=1e-12)


def test_gradient_to_a_weight_of_zero_is_that_of_the_loop() -> None:
    case = make_case(6, seed=4)
    case = replace(case, weight=torch.zeros_like(case.weight))
    torch.testing.assert_close(loss_and_gradients(case), slow_loss_and_gradients(case))


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_single_precision_is_close_to_double(temperature: float) -> None:
    case = make_case(40, seed=8, density=0.1, low=0.05)
    double = loss_and_gradients(case, temperature, tile=16)
    single = loss_and_gradients(case.to(torch.float32), temperature, tile=16)
    assert all(x.dtype == torch.float32 for x in single)
    # A logit is at most 1/τ, of which single precision keeps seven digits.
    scale = max(1.0, 1 / temperature)
    for ours, exact in zip(single, double, strict=True):
        torch.testing.assert_close(ours.double(), exact, rtol=2e-6 * scale, atol=2e-6 * scale)


@pytest.mark.parametrize("temperature", [0.5, 0.01])
def test_gradients_pass_gradcheck(temperature: float) -> None:
    case = make_case(5, seed=2, low=0.2).leaves()

    def loss(u: Tensor, v: Tensor, weight: Tensor) -> Tensor:
        moved = replace(case, u=u, v=v, weight=weight)
        return info_nce(u, v, temperature, moved.positives, AllPairs(tile=2))

    assert torch.autograd.gradcheck(loss, (case.u, case.v, case.weight))


@pytest.mark.parametrize("temperature", [0.1, 0.5, 5.0])
def test_gradients_agree_with_finite_differences(temperature: float) -> None:
    case = make_case(5, seed=2, low=0.2)
    inputs = (case.u, case.v, case.weight)
    rng = torch.Generator().manual_seed(0)
    directions = [torch.randn(x.shape, generator=rng, dtype=x.dtype) for x in inputs]

    def loss(step: float) -> float:
        u, v, weight = (x + step * along for x, along in zip(inputs, directions, strict=True))
        moved = replace(case, u=u, v=v, weight=weight)
        return float(info_nce(u, v, temperature, moved.positives, AllPairs(tile=2)))

    slope = (loss(1e-6) - loss(-1e-6)) / 2e-6
    _, *grads = loss_and_gradients(case, temperature, tile=2)
    along = sum(float((g * d).sum()) for g, d in zip(grads, directions, strict=True))
    assert along == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("tile", [8, 13, 64])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_budget_of_the_workspace_changes_no_bit(tile: int, dtype: torch.dtype) -> None:
    case = make_case(61, seed=1, density=0.1).to(dtype)
    full = loss_and_gradients(case, tile=tile, workspace=Workspace(2**24))
    for tiles_kept in (0, 1, 5):
        workspace = Workspace(tiles_kept * min(tile, 61) ** 2 * case.u.element_size())
        part = loss_and_gradients(case, tile=tile, workspace=workspace)
        assert all(torch.equal(a, b) for a, b in zip(full, part, strict=True))


@pytest.mark.parametrize("budget", [0, 2**24])
def test_workspace_serves_steps_of_changing_size_and_kind(budget: int) -> None:
    workspace = Workspace(budget)
    for nodes, dtype in (
        (30, torch.float32),
        (61, torch.float32),
        (61, torch.float64),
        (9, torch.float64),
    ):
        case = make_case(nodes, seed=3, density=0.1).to(dtype)
        shared = loss_and_gradients(case, tile=8, workspace=workspace)
        alone = loss_and_gradients(case, tile=8)
        assert all(torch.equal(a, b) for a, b in zip(shared, alone, strict=True))


def test_two_losses_under_way_at_a_time_do_not_share_memory() -> None:
    workspace = Workspace()
    pair = [make_case(20, seed=s) for s in (1, 2)]
    views = [case.u.clone().requires_grad_() for case in pair]
    losses = [
        info_nce(u, case.v, 0.5, case.positives, AllPairs(workspace, tile=8))
        for u, case in zip(views, pair, strict=True)
    ]
    together = torch.autograd.grad(losses[0] + losses[1], views)
    for case, grad in zip(pair, together, strict=True):
        assert torch.equal(grad, loss_and_gradients(case, tile=8)[1])


@pytest.mark.parametrize("temperature", [0.001, 0.5])
def test_second_backward_pass_gives_the_same_bits(temperature: float) -> None:
    case = make_case(9, seed=5)
    u = case.u.requires_grad_()
    workspace = Workspace()
    loss = info_nce(u, case.v, temperature, case.positives, AllPairs(workspace, tile=4))
    (first,) = torch.autograd.grad(loss, u, retain_graph=True)
    other = info_nce(
        case.v, u, temperature, negatives=AllPairs(workspace, tile=4)
    )  # takes the memory over
    (second,) = torch.autograd.grad(loss, u)
    assert torch.equal(first, second)
    assert torch.autograd.grad(other, u)[0].isfinite().all()


def test_gradient_of_the_gradient_is_refused() -> None:
    case = make_case(9, seed=5)
    u = case.u.requires_grad_()
    loss = info_nce(u, case.v, 0.5, case.positives)
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        torch.autograd.grad(loss, u, create_graph=True)


@settings(deadline=None, max_examples=60)
@given(case=cases, temperature=st.sampled_from([0.1, 0.5, 5.0]))
def test_expanded_positives_never_raise_the_loss(case: Case, temperature: float) -> None:
    # Theorem 1, first inequality: L <= L_cont, and the loss is their negative.
    grace = info_nce(case.u, case.v, temperature)
    expanded = info_nce(case.u, case.v, temperature, case.positives)
    assert float(expanded) <= float(grace) + 1e-12
    assert float(expanded) >= -1e-12


def test_expanded_positives_lower_the_loss_where_there_are_some() -> None:
    case = make_case(7, seed=3, dropped=None, low=0.2)
    assert float(info_nce(case.u, case.v, 0.5, case.positives)) < float(
        info_nce(case.u, case.v, 0.5)
    )


def test_no_neighbors_is_grace_bit_for_bit() -> None:
    case = make_case(30, seed=6).to(torch.float32)
    empty = Positives(torch.empty(2, 0, dtype=torch.long), torch.empty(0))
    losses = [
        info_nce(case.u, case.v, 0.5, positives, AllPairs(tile=8))
        for positives in (None, (Positives.none(), Positives.none()), (empty, empty))
    ]
    assert torch.equal(losses[0], losses[1])
    assert torch.equal(losses[0], losses[2])


def test_neighbors_that_both_views_lost_are_ordinary_negatives() -> None:
    case = make_case(8, seed=6, dropped=1.0)
    assert not case.edges[0]
    ours = info_nce(case.u, case.v, 0.5, case.positives)
    torch.testing.assert_close(ours, info_nce(case.u, case.v, 0.5))


@settings(deadline=None, max_examples=20)
@given(case=cases, seed=st.integers(0, 99))
def test_renumbering_the_nodes_renumbers_the_gradients(case: Case, seed: int) -> None:
    n = case.u.size(0)
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    moved = order.argsort()[case.edge_index]
    by_pair = (moved[0] * n + moved[1]).argsort()
    first, second = (None if mask is None else mask[by_pair] for mask in case.present)
    renumbered = Case(
        case.u[order], case.v[order], moved[:, by_pair], case.weight[by_pair], (first, second)
    )
    loss, *grads = loss_and_gradients(case, tile=3)
    again, *grads_again = loss_and_gradients(renumbered, tile=3)
    torch.testing.assert_close(again, loss)
    torch.testing.assert_close(
        tuple(grads_again), (grads[0][order], grads[1][order], grads[2][by_pair])
    )


def test_views_can_be_exchanged() -> None:
    case = make_case(7, seed=9)
    ours = info_nce(case.v, case.u, 0.5, case.positives[::-1])
    torch.testing.assert_close(ours, info_nce(case.u, case.v, 0.5, case.positives))


def test_lengths_of_the_vectors_do_not_matter() -> None:
    case = make_case(7, seed=9)
    ours = info_nce(case.u * 1e4, case.v * 1e-4, 0.5, case.positives)
    torch.testing.assert_close(ours, info_nce(case.u, case.v, 0.5, case.positives))


def test_the_released_code_is_that_of_the_loop() -> None:
    case = make_case(7, seed=11)
    first, second = (replace(pairs, combine=Combine.RELEASED) for pairs in case.positives)
    ours = info_nce(case.u, case.v, 0.5, (first, second), AllPairs(tile=3))
    both = {"averaged": True, "own_pair_twice": True}
    slow = slow_info_nce(case.u, case.v, 0.5, case.saliency, case.edges, **both)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=1e-12)
    for part in both:
        only = slow_info_nce(case.u, case.v, 0.5, case.saliency, case.edges, **{part: True})
        assert abs(float(ours - only)) > 1e-3


@pytest.mark.parametrize("temperature", [0.5, 0.005])
def test_a_mean_over_positives_is_that_of_the_loop(temperature: float) -> None:
    case = make_case(7, seed=12, low=0.05).leaves()
    each = Positives(case.edge_index, case.weight, combine=Combine.WEIGHTED_MEAN)
    ours = info_nce(case.u, case.v, temperature, (each, each), AllPairs(tile=3))
    edges = {(i, j) for i, j in case.edge_index.t().tolist()}
    slow = slow_averaged_nce(case.u, case.v, temperature, case.saliency, (edges, edges))
    inputs = (case.u, case.v, case.weight)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(
        torch.autograd.grad(ours, inputs), torch.autograd.grad(slow, inputs), rtol=1e-8, atol=1e-9
    )
    assert abs(float(ours - info_nce(case.u, case.v, temperature, case.positives))) > 1e-3


def test_inputs_are_left_as_they_were() -> None:
    case = make_case(9, seed=5)
    u, v, weight = case.u.clone(), case.v.clone(), case.weight.clone()
    info_nce(case.u, case.v, 0.5, case.positives)
    assert torch.equal(u, case.u)
    assert torch.equal(v, case.v)
    assert torch.equal(weight, case.weight)


@settings(deadline=None, max_examples=60)
@given(case=cases, draw=st.data(), spoil=st.sampled_from(["order", "one way", "loop", "twice"]))
def test_pairs_in_any_other_form_are_refused_and_never_give_another_loss(
    case: Case, draw: st.DataObject, spoil: str
) -> None:
    count = case.edge_index.size(1)
    if spoil == "loop" or not count:
        order = list(range(count))
    else:
        shuffled = draw.draw(st.permutations(range(count)))
        place = draw.draw(st.integers(0, count - 1))
        straight = sorted([*range(count), place])
        order = {"order": shuffled, "twice": straight}.get(spoil, straight[:place])
    pairs, weight = case.edge_index[:, order], case.weight[order]
    masks = [None if mask is None else mask[order] for mask in case.present]
    if spoil == "loop":
        pairs = torch.cat([torch.zeros(2, 1, dtype=torch.long), pairs], 1)
        weight = torch.cat([torch.ones(1, dtype=weight.dtype), weight])
        masks = [None if mask is None else torch.cat([mask.new_ones(1), mask]) for mask in masks]
    other = replace(case, edge_index=pairs, weight=weight, present=(masks[0], masks[1]))
    listed = pairs.t().tolist()
    is_right = listed == sorted(listed) and listed == [
        pair for pair in case.edge_index.t().tolist() if pair in listed and pair[::-1] in listed
    ]
    if is_right:
        slow = slow_info_nce(other.u, other.v, 0.5, other.saliency, other.edges)
        ours = info_nce(other.u, other.v, 0.5, other.positives)
        torch.testing.assert_close(ours, slow, rtol=1e-9, atol=1e-11)
        return
    with pytest.raises(UserError, match="edge_index"):
        info_nce(other.u, other.v, 0.5, other.positives)


def test_views_with_different_pairs_or_lengths_are_refused() -> None:
    case = make_case(6, seed=1)
    first, second = case.positives
    with pytest.raises(UserError, match="the positives of the two views list different pairs"):
        info_nce(case.u, case.v, 0.5, (first, Positives.none()))
    short = replace(first, weight=first.weight[1:])
    with pytest.raises(UserError, match=r"positive pairs need \d+ weights, not"):
        info_nce(case.u, case.v, 0.5, (short, second))
