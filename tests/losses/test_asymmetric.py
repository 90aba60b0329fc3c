"""The asymmetric loss and its sums, against loops over all pairs."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.asymmetric import all_log_sums, asymmetric, estimated_log_sums
from homogcl.losses.contrast.sampled import SampledColumns
from homogcl.losses.contrast.tiles import Workspace
from tests.reference.neighbors import averaged, symmetric_pairs, weighted_pairs


def vectors(nodes: int, seed: int, scale: float = 1.0) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    v = scale * torch.randn(nodes, 3, generator=rng, dtype=torch.float64)
    return v.requires_grad_()


def slow_log_sums(v: Tensor, share: Tensor) -> Tensor:
    """The logarithms, sum by sum; node k stands for `share[k]` nodes, i for itself alone."""
    sums = []
    for i, x in enumerate(v):
        logits = [(x * y).sum() + (0.0 if i == k else share[k].log()) for k, y in enumerate(v)]
        sums.append(torch.stack(logits).logsumexp(0))
    return torch.stack(sums)


@settings(deadline=None, max_examples=30)
@given(
    nodes=st.integers(1, 8),
    seed=st.integers(0, 999),
    scale=st.sampled_from([1.0, 30.0]),  # the last is beyond what can be exponentiated
    budget=st.sampled_from([0, 2**20]),
)
def test_sums_over_all_nodes_are_those_of_the_loop(
    nodes: int, seed: int, scale: float, budget: int
) -> None:
    v = vectors(nodes, seed, scale)
    slow = slow_log_sums(v, torch.ones(nodes, dtype=torch.float64))
    ours = all_log_sums(v, Workspace(budget))
    torch.testing.assert_close(ours, slow, rtol=1e-12, atol=1e-12)
    weight = torch.linspace(-1, 2, nodes, dtype=torch.float64)
    torch.testing.assert_close(
        torch.autograd.grad((weight * ours).sum(), v), torch.autograd.grad((weight * slow).sum(), v)
    )


@settings(deadline=None, max_examples=30)
@given(nodes=st.integers(1, 8), seed=st.integers(0, 999), rows=st.integers(1, 9))
def test_estimated_sums_are_those_of_the_loop_over_the_sample(
    nodes: int, seed: int, rows: int
) -> None:
    v = vectors(nodes, seed)
    node = torch.arange(nodes).flip(0)[: 1 + nodes // 3]
    columns = SampledColumns(node, torch.linspace(1.5, 4, node.numel()))
    share = torch.zeros(nodes, dtype=torch.float64)
    share[node] = columns.weight.double()
    ours, slow = estimated_log_sums(v, columns, rows=rows), slow_log_sums(v, share)
    torch.testing.assert_close(ours, slow, rtol=1e-10, atol=1e-12)
    gradients = [torch.autograd.grad(sums.sum(), v)[0] for sums in (ours, slow)]
    torch.testing.assert_close(*gradients, rtol=1e-9, atol=1e-12)
    assert bool(gradients[0].isfinite().all())


def test_the_mean_over_all_draws_of_one_column_is_the_exact_sum() -> None:
    v = vectors(5, seed=2).detach()
    # With the own pair exact, the other four are what a draw of one column stands for.
    others = torch.zeros(5, dtype=torch.float64)
    own = v.square().sum(1).exp()
    for node in range(5):
        estimate = estimated_log_sums(v, SampledColumns(torch.tensor([node]), torch.tensor([5.0])))
        others += (estimate.exp() - own) / 5
    torch.testing.assert_close((others + own).log(), all_log_sums(v, Workspace(0)))


def inputs(nodes: int = 7) -> tuple[Tensor, Tensor, Tensor]:
    return vectors(nodes, 1), vectors(nodes, 2), vectors(nodes, 3).detach()[:, 0].requires_grad_()


def slow_pair_losses(q: Tensor, u: Tensor, log_z: Tensor) -> Tensor:
    """-log e^l / (e^l + Z_i) of every pair, [N, N]."""
    losses = []
    for i in range(len(q)):
        exponentials = [(q[i] * u[j]).sum().exp() for j in range(len(u))]
        losses.append(torch.stack([-(e / (e + log_z[i].exp())).log() for e in exponentials]))
    return torch.stack(losses)


def test_a_nodes_loss_is_the_weighted_mean_over_its_positives() -> None:
    q, u, log_z = inputs()
    pairs = weighted_pairs(symmetric_pairs(7, seed=4, density=0.5), Combine.WEIGHTED_MEAN)
    slow = slow_pair_losses(q, u, log_z)
    terms = asymmetric(q, u, log_z, pairs)
    assert list(terms) == ["contrast"]
    torch.testing.assert_close(terms["contrast"], averaged(slow.diagonal(), slow, pairs).mean())


def test_a_term_of_their_own_is_the_mean_of_the_pairs_weighted_losses() -> None:
    q, u, log_z = inputs()
    pairs = weighted_pairs(symmetric_pairs(7, seed=4, density=0.5), Combine.TERM)
    slow = slow_pair_losses(q, u, log_z)
    terms = asymmetric(q, u, log_z, pairs)
    source, target = pairs.edge_index
    expected = [w * slow[i, j] for i, j, w in zip(source, target, pairs.weight, strict=True)]
    torch.testing.assert_close(terms["contrast"], slow.diagonal().mean())
    torch.testing.assert_close(terms["neighbors"], torch.stack(expected).mean())


@pytest.mark.parametrize("combine", [Combine.TERM, Combine.MEAN])
def test_gradient_is_numerically_right(combine: Combine) -> None:
    edge_index = symmetric_pairs(5, seed=4, density=0.5)
    pairs = weighted_pairs(edge_index, combine)

    def loss(q: Tensor, u: Tensor, log_z: Tensor, weight: Tensor) -> Tensor:
        terms = asymmetric(q, u, log_z, Positives(edge_index, weight, combine=combine))
        return torch.stack(list(terms.values())).sum()

    assert torch.autograd.gradcheck(loss, (*inputs(5), pairs.weight.requires_grad_()))


def test_a_right_prediction_costs_less_than_a_wrong_one() -> None:
    u = torch.eye(4)
    log_z = torch.zeros(4)
    none = Positives.none()
    right, wrong = (asymmetric(q, u, log_z, none)["contrast"] for q in (u, -u))
    assert float(right) < float(wrong)
