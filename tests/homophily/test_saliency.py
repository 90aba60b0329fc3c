from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.homophily.saliency import homophily_loss, saliency, soft_assignment


def points(seed: int, nodes: int = 40, offset: float = 0.0) -> Tensor:
    """Three loose clusters of points in five dimensions, [N, 5], around `offset`."""
    rng = torch.Generator().manual_seed(seed)
    means = 2 * torch.randn(3, 5, generator=rng, dtype=torch.float64)
    noise = torch.randn(nodes, 5, generator=rng, dtype=torch.float64)
    return offset + means[torch.arange(nodes) % 3] + noise


def assignments(seed: int, nodes: int, k: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(nodes, k, generator=rng, dtype=torch.float64).mul(3).softmax(1)


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 999), k=st.integers(1, 5), two_sigma_sq=st.sampled_from([1e-3, 0.5, 50.0])
)
def test_soft_assignment_is_the_posterior_of_a_spherical_mixture(
    seed: int, k: int, two_sigma_sq: float
) -> None:
    h = points(seed, nodes=12)
    c = points(seed + 1, nodes=k)
    mixture = GaussianMixture(k, covariance_type="spherical")
    mixture.weights_ = np.full(k, 1 / k)
    mixture.means_ = c.numpy()
    mixture.covariances_ = np.full(k, two_sigma_sq / 2)
    mixture.precisions_cholesky_ = mixture.covariances_**-0.5
    ours = soft_assignment(h, c, two_sigma_sq)
    np.testing.assert_allclose(
        ours.numpy(), mixture.predict_proba(h.numpy()), rtol=1e-7, atol=1e-12
    )


def test_soft_assignment_is_bayes_rule_in_a_loop() -> None:
    h, c = points(0, nodes=5), points(1, nodes=3)
    expected = torch.empty(5, 3, dtype=torch.float64)
    for i in range(5):
        likelihood = [float(torch.exp(-((h[i] - c[j]) ** 2).sum() / 40.0)) for j in range(3)]
        for j in range(3):
            expected[i, j] = likelihood[j] / sum(likelihood)
    torch.testing.assert_close(soft_assignment(h, c, 40.0), expected)


def test_soft_assignment_does_not_care_where_the_origin_lies() -> None:
    h, c = points(3).float(), points(4, nodes=4).float()
    exact = soft_assignment(h.double(), c.double(), 2.0)
    near, far = soft_assignment(h, c, 2.0), soft_assignment(h + 1024, c + 1024, 2.0)
    torch.testing.assert_close(near.double(), exact, rtol=1e-4, atol=1e-5)
    # Moving by 1024 itself costs ten bits of the numbers.
    torch.testing.assert_close(far.double(), exact, rtol=2e-2, atol=2e-3)


def test_gradients_agree_with_finite_differences() -> None:
    h, c = points(0, nodes=8).requires_grad_(), points(1, nodes=3).requires_grad_()
    edge_index = torch.tensor([[0, 0, 3, 5], [3, 5, 0, 0]])
    assert torch.autograd.gradcheck(lambda a, b: soft_assignment(a, b, 8.0), (h, c))
    r = assignments(0, 8, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda a: saliency(a, edge_index), (r,))
    assert torch.autograd.gradcheck(lambda a: homophily_loss(a, edge_index), (r,))


@given(seed=st.integers(0, 999), k=st.integers(1, 6))
def test_saliency_is_the_cosine_of_a_loop_and_lies_between_0_and_1(seed: int, k: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    r = assignments(seed, 7, k)
    half = (torch.rand(7, 7, generator=rng) < 0.5).triu(1)
    edge_index = (half | half.t()).nonzero().t()
    s = saliency(r, edge_index)
    for value, (i, j) in zip(s.tolist(), edge_index.t().tolist(), strict=True):
        dot = sum(float(r[i, c] * r[j, c]) for c in range(k))
        lengths = [sum(float(r[n, c]) ** 2 for c in range(k)) ** 0.5 for n in (i, j)]
        assert value == pytest.approx(dot / (lengths[0] * lengths[1]))
        assert 0 <= value <= 1
    matrix = torch.zeros(7, 7, dtype=r.dtype).index_put((edge_index[0], edge_index[1]), s)
    assert torch.equal(matrix, matrix.t())


def test_saliency_of_equal_and_of_disjoint_assignments_is_1_and_0() -> None:
    r = torch.tensor([[0.25, 0.75, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    s = saliency(r, torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))
    torch.testing.assert_close(s, torch.tensor([1.0, 0.0, 1.0, 0.0]))


@given(seed=st.integers(0, 999), k=st.integers(1, 6))
def test_homophily_loss_is_the_mean_of_a_loop(seed: int, k: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    r = assignments(seed, 6, k)
    half = (torch.rand(6, 6, generator=rng) < 0.5).triu(1)
    edge_index = (half | half.t()).nonzero().t()
    expected, edges = 0.0, edge_index.t().tolist()
    for i, j in edges:
        expected += sum(float(r[i, c] - r[j, c]) ** 2 for c in range(k)) / (k * len(edges))
    assert float(homophily_loss(r, edge_index)) == pytest.approx(expected)


def test_graph_without_edges_has_no_saliency_and_a_zero_loss_with_zero_gradient() -> None:
    r = assignments(0, 5, 3).requires_grad_()
    nothing = torch.empty(2, 0, dtype=torch.long)
    assert saliency(r, nothing).shape == (0,)
    loss = homophily_loss(r, nothing)
    (grad,) = torch.autograd.grad(loss, r)
    assert loss.item() == 0
    assert torch.equal(grad, torch.zeros_like(r))


@pytest.mark.parametrize("function", [saliency, homophily_loss])
def test_edges_in_another_order_are_refused(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    r = torch.rand(3, 2)
    with pytest.raises(UserError, match="edge_index is not sorted by source"):
        function(r, torch.tensor([[1, 0], [0, 1]]))


@settings(deadline=None)
@given(seed=st.integers(0, 999), draw=st.data())
def test_edges_in_any_other_form_never_give_another_loss_nor_another_saliency(
    seed: int, draw: st.DataObject
) -> None:
    rng = torch.Generator().manual_seed(seed)
    half = (torch.rand(5, 5, generator=rng) < 0.6).triu(1)
    right = (half | half.t()).nonzero().tolist()
    pairs = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(list)
    spoiled = draw.draw(st.permutations([*right, *draw.draw(st.lists(pairs, max_size=2))]))
    r = assignments(seed, 5, 3)
    for listed in (spoiled, sorted(spoiled)):
        edge_index = torch.tensor(listed, dtype=torch.long).reshape(-1, 2).t()
        is_sorted = listed == sorted(listed)
        if is_sorted and all(
            i != j and [j, i] in listed and listed.count([i, j]) == 1 for i, j in listed
        ):
            differences = [(r[i] - r[j]).square().mean() for i, j in listed]
            mean = torch.stack(differences).mean() if differences else torch.tensor(0.0)
            torch.testing.assert_close(homophily_loss(r, edge_index), mean.to(r.dtype))
        else:
            with pytest.raises(UserError, match="edge_index"):
                homophily_loss(r, edge_index)
    s = saliency(r, torch.tensor(sorted(spoiled), dtype=torch.long).reshape(-1, 2).t())
    cosines = [torch.cosine_similarity(r[i], r[j], dim=0) for i, j in sorted(spoiled)]
    torch.testing.assert_close(s, torch.stack(cosines) if cosines else s)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_rounding_hides_is_zero_and_has_no_gradient(dtype: torch.dtype) -> None:
    h = torch.tensor([[0.0], [0.5], [9.0]], dtype=dtype, requires_grad=True)
    r = soft_assignment(h, torch.tensor([[0.0], [1.0]], dtype=dtype), 1e-2)
    assert r.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    (grad,) = torch.autograd.grad(r[:, 0].sum(), h)
    assert (grad != 0).squeeze(1).tolist() == [False, True, False]
