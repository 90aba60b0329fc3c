"""Products by other kernels: which are, how they round, and torch's own kernels afterwards."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from homogcl.core import kernels
from homogcl.core.kernels import BFLOAT16, NARROW, ONEDNN, Replacement
from homogcl.nn.sparse import sparse

UNIT = 2.0**-8  # the rounding of a number to bfloat16 is at most this share of it
SUM = 2.0**-20  # what the order of a float32 sum of some hundred terms changes at most
WIDE = st.integers(NARROW, NARROW + 40)
BOTH = pytest.mark.parametrize("replacement", [BFLOAT16, ONEDNN], ids=["bfloat16", "oneDNN"])


def numbers(*size: int, seed: int = 0) -> Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(seed))


def of_rounded(a: Tensor, b: Tensor) -> Tensor:
    """The exact product of the rounded factors."""
    return a.bfloat16().double() @ b.bfloat16().double()


def assert_rounded(result: Tensor, a: Tensor, b: Tensor) -> None:
    """Assert that `result` is the rounded factors' product, up to sums and its own rounding."""
    sums = SUM * (a.double().abs() @ b.double().abs())
    product = of_rounded(a, b)
    assert result.dtype == torch.float32
    assert bool(((result - product).abs() <= UNIT * product.abs() + 2 * sums).all())
    assert not torch.equal(result, a @ b)


@given(n=WIDE, m=WIDE, d=WIDE, seed=st.integers(0, 9))
def test_wide_products_are_those_of_the_rounded_factors(n: int, m: int, d: int, seed: int) -> None:
    a, b = numbers(n, m, seed=seed), numbers(m, d, seed=seed + 1)
    with BFLOAT16:
        results = [a @ b, torch.mm(a, b, out=torch.empty(n, d)), (b.t() @ a.t()).t()]
    for result in results:
        assert_rounded(result, a, b)


def assert_exact(result: Tensor, a: Tensor, b: Tensor) -> None:
    """Assert that `result` is the product, up to the order of its sums."""
    exact = a.double() @ b.double()
    assert result.dtype == torch.float32
    assert result.is_contiguous()
    assert bool(((result - exact).abs() <= SUM * (a.double().abs() @ b.double().abs())).all())


@given(n=WIDE, m=WIDE, d=WIDE, turned=st.tuples(st.booleans(), st.booleans()))
def test_products_by_onednn_are_exact_for_factors_that_lie_either_way(
    n: int, m: int, d: int, turned: tuple[bool, bool]
) -> None:
    a, b = (
        numbers(*size[::-1]).t() if is_turned else numbers(*size)
        for size, is_turned in zip(((n, m), (m, d)), turned, strict=True)
    )
    with ONEDNN:
        results = [a @ b, torch.mm(a, b, out=torch.empty(n, d)), torch.addmm(a[0, 0], a, b, beta=0)]
        results.append(torch.addmm(torch.zeros(d), a, b))
    for result in results:
        assert_exact(result, a, b)


@pytest.mark.parametrize("turned", [False, True])
def test_onednn_is_given_no_part_of_a_wider_matrix(
    monkeypatch: pytest.MonkeyPatch, turned: bool
) -> None:
    a, b = numbers(70, 160)[:, :90], numbers(90, 200, seed=1)[:, 64:144]
    if turned:
        a, b = b.t(), a.t()
    linear = kernels._linear

    def dense_alone(one: Tensor, other: Tensor, bias: Tensor | None = None) -> Tensor:
        assert all(x.is_contiguous() or x.t().is_contiguous() for x in (one, other))
        assert bias is None or bias.is_contiguous()
        return linear(one, other, bias)

    monkeypatch.setattr(kernels, "_linear", dense_alone)
    assert_exact(kernels.by_onednn(a, b), a, b)
    row = numbers(b.size(1), 2, seed=2)[:, 0]
    torch.testing.assert_close(kernels.affine_by_onednn(a, b, row), a @ b + row)


@BOTH
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (1, -1.0), (-0.5, 2)])
@pytest.mark.parametrize("added", [(80,), (70, 80)])
def test_what_is_added_to_a_product_is_not_rounded(
    replacement: Replacement, added: tuple[int, ...], beta: float, alpha: float
) -> None:
    a, b, c = numbers(70, 90), numbers(90, 80, seed=1), numbers(*added, seed=2)
    in_place = c.expand(70, 80).clone()
    with replacement:
        results = [
            torch.addmm(c, a, b, beta=beta, alpha=alpha),
            in_place.addmm_(a, b, beta=beta, alpha=alpha),
        ]
        product = (a @ b).double()
    for result in results:
        torch.testing.assert_close(result.double(), beta * c + alpha * product)


@BOTH
def test_what_counts_nothing_is_not_looked_at(replacement: Replacement) -> None:
    a, b, nothing = numbers(70, 90), numbers(90, 80, seed=1), torch.full((70, 80), torch.nan)
    with replacement:
        results = [
            torch.addmm(nothing, a, b, beta=0),
            nothing.clone().addmm_(a, b, beta=0),
            torch.mm(a, b, out=torch.empty(0)),
        ]
        product = a @ b
    assert all(torch.equal(result, product) for result in results)


@BOTH
def test_factors_of_two_kinds_are_refused_as_by_torch(replacement: Replacement) -> None:
    with replacement, pytest.raises(RuntimeError, match="same dtype"):
        numbers(70, 90) @ numbers(90, 80).double()


def test_backward_products_are_rounded_too() -> None:
    x, weight, bias = numbers(70, 90), numbers(90, 80, seed=1), numbers(80, seed=2)
    up = numbers(70, 80, seed=3)
    for each in (x, weight, bias):
        each.requires_grad_()
    with BFLOAT16:
        torch.addmm(bias, x, weight).backward(up)  # type: ignore[no-untyped-call]
    gradients = [each.grad for each in (x, weight, bias)]
    to_x, to_weight, to_bias = (each for each in gradients if each is not None)
    assert_rounded(to_x, up, weight.detach().t())
    assert_rounded(to_weight, x.detach().t(), up)
    torch.testing.assert_close(to_bias, up.sum(0))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (numbers(NARROW - 1, 90), numbers(90, 80)),
        (numbers(90, NARROW - 1), numbers(NARROW - 1, 80)),
        (numbers(90, 80), numbers(80, 10)),
        (numbers(90, 80).double(), numbers(80, 90).double()),
        (numbers(0, 80), numbers(80, 90)),
    ],
    ids=["few rows", "few terms", "few columns", "float64", "no rows"],
)
@BOTH
def test_narrow_products_and_those_of_other_kinds_keep_their_bits(
    replacement: Replacement, a: Tensor, b: Tensor
) -> None:
    operations: list[Callable[[], Tensor]] = [
        lambda: a @ b,
        lambda: torch.mm(a, b, out=a.new_empty(len(a), b.size(1))),
        lambda: torch.addmm(b[0], a, b, alpha=2, beta=0.5),
        lambda: a.new_ones(len(a), b.size(1)).addmm_(a, b, beta=3),
    ]
    expected = [operation() for operation in operations]
    with replacement:
        results = [operation() for operation in operations]
    assert all(torch.equal(one, two) for one, two in zip(results, expected, strict=True))


@BOTH
def test_sparse_products_keep_their_bits(replacement: Replacement) -> None:
    matrix, x = sparse((numbers(90, 90) * (numbers(90, 90) > 1)).to_sparse_csr()), numbers(90, 80)
    expected = torch.zeros(90, 80).addmm_(matrix.csr, x)
    with replacement:
        assert torch.equal(torch.zeros(90, 80).addmm_(matrix.csr, x), expected)


def test_kernels_are_torchs_own_after_the_last_of_all_blocks() -> None:
    a, b = numbers(70, 90), numbers(90, 80)
    exact = a @ b
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # replacing kernels must not alarm anybody
        with BFLOAT16:
            rounded = a @ b
            with BFLOAT16:
                assert torch.equal(a @ b, rounded)
            assert torch.equal(a @ b, rounded)
    assert not torch.equal(rounded, exact)
    assert torch.equal(a @ b, exact)
    with pytest.raises(ValueError, match="inside"), BFLOAT16:
        raise ValueError("inside")
    assert torch.equal(a @ b, exact)


def test_threads_that_train_at_once_do_not_end_each_others_blocks() -> None:
    a, b = numbers(70, 90), numbers(90, 80)
    exact = a @ b
    with BFLOAT16:
        rounded = a @ b
    results: list[Tensor] = []

    def many_blocks() -> None:
        for _ in range(20):
            with BFLOAT16:
                results.append(a @ b)

    threads = [threading.Thread(target=many_blocks) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80
    assert all(torch.equal(each, rounded) for each in results)
    assert torch.equal(a @ b, exact)


def test_blocks_of_two_kinds_change_nothing_of_each_other() -> None:
    a, b = numbers(70, 90), numbers(90, 80)
    usual = a @ b
    with BFLOAT16:
        rounded = a @ b
        with ONEDNN:
            assert_exact(a @ b, a, b)
            assert not torch.equal(a @ b, rounded)
        assert torch.equal(a @ b, rounded)
        results: list[Tensor] = []
        other = threading.Thread(target=lambda: results.append(a @ b))
        other.start()
        other.join()
    assert torch.equal(results[0], usual)
