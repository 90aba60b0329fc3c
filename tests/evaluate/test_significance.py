"""Paired differences and Holm's correction against slow loops, and their invariances."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from homogcl.evaluate.significance import CONFIDENCE, Difference, holm, paired_difference

scores = st.floats(0, 1, allow_subnormal=False).map(lambda score: round(score, 6))
pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=12)
p_lists = st.lists(st.floats(0, 1), max_size=6)


def tail(t: float, freedom: int) -> float:
    """The probability that Student's t is above `t` >= 0, by Simpson's rule."""
    # With t = sqrt(f) tan(a), the density of a is proportional to cos(a)^(f - 1).
    steps = 2000

    def integral(low: float, high: float) -> float:
        width = (high - low) / steps
        total = 0.0
        for step in range(steps + 1):
            weight = 1 if step in {0, steps} else 4 if step % 2 else 2
            total += weight * math.cos(low + step * width) ** (freedom - 1)
        return total * width / 3

    start = math.atan(t / math.sqrt(freedom))
    return integral(start, math.pi / 2) / (2 * integral(0, math.pi / 2))


def quantile(probability: float, freedom: int) -> float:
    """The t above which `probability` lies, by bisection."""
    low, high = 0.0, 1e3
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, freedom) > probability else (low, middle)
    return low


def spread_out(values: list[tuple[float, float]]) -> bool:
    differences = [after - before for before, after in values]
    return max(differences) - min(differences) > 1e-4


def difference_of(values: list[tuple[float, float]]) -> Difference:
    before, after = zip(*values, strict=True)
    return paired_difference(before, after)


@pytest.mark.parametrize(
    "differences", [(0.03, 0.0, 0.03), (0.01, -0.02), (0.5, 0.4, 0.6, 0.5, 0.45), (-0.1, 0.1, 0.0)]
)
def test_a_difference_agrees_with_loops(differences: tuple[float, ...]) -> None:
    n = len(differences)
    before = [0.3 + 0.05 * seed for seed in range(n)]
    after = [score + difference for score, difference in zip(before, differences, strict=True)]
    mean = sum(differences) / n
    std = math.sqrt(sum((each - mean) ** 2 for each in differences) / (n - 1))
    error = std / math.sqrt(n)
    margin = error * quantile((1 - CONFIDENCE) / 2, n - 1)
    p = 2 * tail(abs(mean) / error, n - 1)
    expected = (mean, std, n, mean - margin, mean + margin, p)
    assert paired_difference(before, after) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def test_two_degrees_of_freedom_have_a_closed_form() -> None:
    # Differences 3, 0, 3 have mean 2 and standard error 1: t = 2, and p = 1 - t / sqrt(t² + 2).
    difference = paired_difference([0, 0, 0], [3, 0, 3])
    assert difference.p == pytest.approx(1 - 2 / math.sqrt(6))
    # The quantile q of 2 degrees of freedom solves q² = 2 c² / (1 - c²) for the confidence c.
    margin = CONFIDENCE * math.sqrt(2 / (1 - CONFIDENCE**2))
    assert (difference.low, difference.high) == pytest.approx((2 - margin, 2 + margin))


@given(pairs)
def test_the_other_way_round_it_changes_its_sign(values: list[tuple[float, float]]) -> None:
    there, back = difference_of(values), difference_of([(b, a) for a, b in values])
    assert (back.mean, back.std, back.n, back.p) == (-there.mean, there.std, there.n, there.p)
    if there.low is not None and there.high is not None:
        assert (back.low, back.high) == (-there.high, -there.low)


@given(pairs, st.floats(-1, 1))
def test_what_is_added_to_both_does_not_matter(
    values: list[tuple[float, float]], shift: float
) -> None:
    assume(spread_out(values))
    moved = difference_of([(before + shift, after + shift) for before, after in values])
    assert moved == pytest.approx(difference_of(values), rel=1e-6, abs=1e-9)


@given(pairs, st.floats(-1, 1))
def test_what_is_added_to_one_moves_the_interval_along(
    values: list[tuple[float, float]], shift: float
) -> None:
    assume(spread_out(values))
    one, moved = difference_of(values), difference_of([(a, b + shift) for a, b in values])
    assert one.low is not None
    assert one.high is not None
    expected = (one.mean + shift, one.std, one.n, one.low + shift, one.high + shift)
    assert moved[:5] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(pairs.flatmap(lambda values: st.tuples(st.just(values), st.permutations(values))))
def test_the_order_of_the_pairs_does_not_matter(
    both: tuple[list[tuple[float, float]], list[tuple[float, float]]],
) -> None:
    values, other = both
    assume(spread_out(values))
    assert difference_of(other) == pytest.approx(difference_of(values), rel=1e-6, abs=1e-12)


@given(pairs)
def test_the_interval_leaves_out_zero_exactly_where_the_p_value_is_small(
    values: list[tuple[float, float]],
) -> None:
    difference = difference_of(values)
    assume(difference.p is not None and abs(difference.p - (1 - CONFIDENCE)) > 1e-9)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.p is not None
    assert (difference.low <= 0 <= difference.high) == (difference.p > 1 - CONFIDENCE)


def test_one_pair_and_equal_differences_have_nothing_to_test_by() -> None:
    assert paired_difference([0.5], [0.75]) == (0.25, None, 1, None, None, None)
    assert paired_difference([0.5, 0.6], [0.5, 0.6]) == (0.0, 0.0, 2, None, None, None)
    # Rounding alone tells 0.83 - 0.80 from 0.84 - 0.81.
    constant = paired_difference([0.80, 0.81], [0.83, 0.84])
    assert constant.mean == pytest.approx(0.03)
    assert constant[3:] == (None, None, None)


@pytest.mark.parametrize(("before", "after"), [([], []), ([1, 2], [1]), ([[1.0]], [[1.0]])])
def test_what_is_not_paired_is_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        paired_difference(before, after)


@given(p_lists)
def test_holm_is_the_closed_test_of_bonferroni(p_values: list[float]) -> None:
    # A difference survives if every set of hypotheses with it is rejected as a whole.
    numbers = range(len(p_values))
    expected = [
        max(
            min(1.0, size * min(p_values[i] for i in subset))
            for size in range(1, len(p_values) + 1)
            for subset in itertools.combinations(numbers, size)
            if number in subset
        )
        for number in numbers
    ]
    assert holm(p_values) == pytest.approx(expected)


@given(p_lists.flatmap(lambda values: st.permutations(list(enumerate(values)))))
def test_holm_follows_the_order_of_its_input(numbered: list[tuple[int, float]]) -> None:
    by_number = dict(zip((i for i, _ in numbered), holm([p for _, p in numbered]), strict=True))
    assert [by_number[i] for i in sorted(by_number)] == holm([p for _, p in sorted(numbered)])
