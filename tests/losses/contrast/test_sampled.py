from __future__ import annotations

from itertools import combinations, permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.utils import coalesce

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Positives
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import Sampled
from homogcl.losses.contrast.sampled import SampledColumns, sampled_log_sums, stratified_columns
from homogcl.losses.contrast.tiles import Tiling, log_sums
from homogcl.nn.sparse import Pattern


def views(nodes: int, seed: int = 0, dim: int = 4) -> tuple[Tensor, Tensor]:
    rng = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(nodes, dim, generator=rng, dtype=torch.float64) for _ in range(2))
    return a, b


def pattern(nodes: int, density: float, seed: int = 0) -> Pattern:
    rng = torch.Generator().manual_seed(seed)
    half = (torch.rand(nodes, nodes, generator=rng) < density).triu(1).nonzero().t()
    return Pattern.of(coalesce(torch.cat([half, half.flip(0)], 1), num_nodes=nodes), nodes)


def exact(a: Tensor, b: Tensor, pairs: Pattern) -> tuple[Tensor, Tensor]:
    return log_sums(a, b, Tiling.of(len(a), 3, Workspace(0), pairs))


@given(
    st.integers(1, 12),
    st.floats(0, 1),
    st.integers(1, 5),
    st.integers(0, 99),
    st.sampled_from([1.0, 30.0]),
    st.sampled_from([0, 2**20]),
)
@settings(max_examples=80, deadline=None)
def test_all_columns_give_the_exact_sums(
    nodes: int, density: float, rows: int, seed: int, scale: float, budget: int
) -> None:
    """Also with logits beyond what can be exponentiated, and where nothing is kept."""
    a, b = ((scale * x).requires_grad_() for x in views(nodes, seed))
    pairs = pattern(nodes, density, seed)
    rng = torch.Generator().manual_seed(seed)
    strata = torch.randint(3, (nodes,), generator=rng)
    columns = stratified_columns(torch.rand(nodes, generator=rng).double(), nodes, strata)
    assert sorted(columns.node.tolist()) == list(range(nodes))
    estimated = sampled_log_sums(a, b, columns, pairs, rows=rows, budget=budget)
    expected = exact(a, b, pairs)
    summed = [x.isfinite() for x in expected]
    for mine, theirs in zip(estimated, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)
    if all(bool(mask.all()) for mask in summed):
        first = torch.autograd.grad(torch.cat(estimated).sum(), (a, b), retain_graph=True)
        again = torch.autograd.grad(torch.cat(estimated).sum(), (a, b))
        torch.testing.assert_close(first, again, rtol=1e-12, atol=1e-12)
        second = torch.autograd.grad(torch.cat(expected).sum(), (a, b))
        torch.testing.assert_close(first, second, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("budget", [0, 2**20])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_gradient_of_the_estimated_sums(budget: int, scale: float) -> None:
    a, b = ((scale * x).requires_grad_() for x in views(7, seed=1))
    columns = SampledColumns(torch.tensor([1, 4, 6]), torch.tensor([2.0, 3.0, 2.0]).double())
    pairs = pattern(7, 0.3, seed=2)

    def sums(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return sampled_log_sums(a, b, columns, pairs, rows=2, budget=budget)

    assert all(bool(x.isfinite().all()) for x in sums(a, b))
    assert torch.autograd.gradcheck(sums, (a, b))


def test_the_mean_over_all_draws_is_the_exact_sum() -> None:
    """Every way to draw 2 of 4 and 1 of 3 nodes is gone through: no chance is left."""
    nodes = 7  # of which 0, 2, 4, 6 are one stratum and 1, 3, 5 another
    a, b = views(nodes)
    pairs = pattern(nodes, 0.3)
    total: list[Tensor] = [torch.zeros(nodes, dtype=torch.float64) for _ in range(2)]
    draws = [(*two, one) for two in combinations([0, 2, 4, 6], 2) for one in (1, 3, 5)]
    for chosen in draws:
        columns = SampledColumns(torch.tensor(chosen), torch.tensor([2.0, 2.0, 3.0]))
        for side, estimated in enumerate(sampled_log_sums(a, b, columns, pairs)):
            total[side] += estimated.exp() / len(draws)
    for mean, expected in zip(total, exact(a, b, pairs), strict=True):
        torch.testing.assert_close(mean, expected.exp(), rtol=1e-12, atol=1e-12)


def test_every_node_of_a_stratum_is_as_likely_as_any_other() -> None:
    strata = torch.tensor([0, 0, 0, 1, 1])
    totals = torch.zeros(5)
    orders = list(permutations(range(5)))
    for order in orders:
        draw = torch.tensor(order, dtype=torch.float64) / 5
        columns = stratified_columns(draw, 3, strata)
        totals[columns.node] += columns.weight.float()
    torch.testing.assert_close(totals / len(orders), torch.ones(5))


@given(st.integers(1, 60), st.integers(1, 8), st.data())
def test_columns_stand_for_all_nodes(nodes: int, k: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, nodes))
    seed = data.draw(st.integers(0, 99))
    rng = torch.Generator().manual_seed(seed)
    strata = torch.randint(k, (nodes,), generator=rng)
    columns = stratified_columns(torch.rand(nodes, generator=rng).double(), count, strata)
    assert len(set(columns.node.tolist())) == columns.node.numel()
    torch.testing.assert_close(columns.weight.sum(), torch.tensor(float(nodes), dtype=torch.double))
    assert set(strata[columns.node].tolist()) == set(strata.tolist())
    assert abs(columns.node.numel() - count) <= k


def test_clusters_leave_less_to_chance() -> None:
    rng = torch.Generator().manual_seed(0)
    strata = torch.arange(1200) % 12
    centers = torch.randn(12, 16, generator=rng, dtype=torch.float64)
    a = centers[strata] + 0.2 * torch.randn(1200, 16, generator=rng, dtype=torch.float64)
    a = 2**0.5 * torch.nn.functional.normalize(a)
    none = pattern(1200, 0.0)
    expected = exact(a, a, none)[0].exp()
    errors = {}
    for name, given_strata in (("clusters", strata), ("uniform", None)):
        squared = []
        for _ in range(20):
            draw = torch.rand(1200, generator=rng, dtype=torch.float64)
            columns = stratified_columns(draw, 60, given_strata)
            sums = sampled_log_sums(a, a, columns, none)[0].exp()
            squared.append(((sums - expected) / expected).square().mean())
        errors[name] = float(torch.stack(squared).mean().sqrt())
    assert errors["clusters"] < errors["uniform"] / 3


def test_loss_with_all_columns_is_the_exact_loss() -> None:
    u, v = views(9, seed=3)
    pairs = pattern(9, 0.4)
    edges = torch.stack([pairs.row, pairs.col])
    weight = torch.linspace(0.1, 1, edges.size(1), dtype=torch.float64)
    positives = (Positives(edges, weight), Positives(edges, weight))
    columns = stratified_columns(torch.rand(9, dtype=torch.float64), 9)
    for temperature in (1e-3, 0.5, 1e3):
        sampled = info_nce(u, v, temperature, positives, Sampled(columns))
        torch.testing.assert_close(sampled, info_nce(u, v, temperature, positives))


def test_more_columns_than_nodes_are_refused() -> None:
    with pytest.raises(UserError, match=r"num_negatives=10 is more than the 9 nodes"):
        stratified_columns(torch.rand(9), 10)
