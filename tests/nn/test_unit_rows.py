import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cosine_similarity, normalize

from homogcl.nn.unit_rows import of_length, row_cosines


@given(
    rows=st.integers(1, 5),
    dim=st.integers(1, 5),
    length=st.floats(0.03, 30),
    seed=st.integers(0, 99),
)
def test_rows_and_gradients_are_those_of_torch(
    rows: int, dim: int, length: float, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, dim, generator=rng, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(rows, dim, generator=rng, dtype=torch.float64)
    ours, theirs = of_length(x, length), normalize(x) * length
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(
        torch.autograd.grad(ours, x, upstream),
        torch.autograd.grad(theirs, x, upstream),
        rtol=1e-9,
        atol=1e-9,
    )


def test_gradient_agrees_with_finite_differences() -> None:
    x = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.autograd.gradcheck(lambda y: of_length(y, 0.7), (x.requires_grad_(),))


def test_zero_row_stays_zero_and_passes_a_finite_gradient() -> None:
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    a = of_length(x, 2.0)
    assert a.tolist()[0] == [0.0, 0.0]
    torch.testing.assert_close(a[1], torch.tensor([1.2, 1.6]))
    (grad,) = torch.autograd.grad(a.sum(), x)
    assert bool(grad.isfinite().all())


@given(rows=st.integers(1, 5), dim=st.integers(1, 5), seed=st.integers(0, 99))
def test_cosines_and_gradients_are_those_of_torch(rows: int, dim: int, seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    x, y = (
        torch.randn(rows, dim, generator=rng, dtype=torch.float64, requires_grad=True)
        for _ in range(2)
    )
    upstream = torch.randn(rows, generator=rng, dtype=torch.float64)
    ours, theirs = row_cosines(x, y), cosine_similarity(x, y)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(
        torch.autograd.grad(ours, (x, y), upstream),
        torch.autograd.grad(theirs, (x, y), upstream),
        rtol=1e-9,
        atol=1e-9,
    )


def test_gradient_of_cosines_agrees_with_finite_differences() -> None:
    rng = torch.Generator().manual_seed(0)
    x, y = (torch.randn(4, 3, dtype=torch.float64, generator=rng) for _ in range(2))
    assert torch.autograd.gradcheck(row_cosines, (x.requires_grad_(), y.requires_grad_()))
    assert torch.autograd.gradcheck(row_cosines, (x.requires_grad_(), y.detach()))


def test_cosine_of_a_zero_row_is_zero_and_its_gradient_finite() -> None:
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    cosines = row_cosines(x, torch.tensor([[1.0, 0.0], [6.0, 8.0]]))
    torch.testing.assert_close(cosines, torch.tensor([0.0, 1.0]))
    (grad,) = torch.autograd.grad(cosines.sum(), x)
    assert bool(grad.isfinite().all())
