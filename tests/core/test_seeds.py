from itertools import product

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.seeds import branch, drawn_seed, integer, numpy_stream, stream

SEEDS = st.integers(0, 2**63)
NAMES = ["split", "init", "augment", "cluster", "probe"]


@given(seed=SEEDS, name=st.text(max_size=12))
def test_integer_fits_31_bits_and_depends_on_seed_and_name_alone(seed: int, name: str) -> None:
    assert 0 <= integer(seed, name) < 2**31
    assert integer(seed, name) == integer(seed, name)


def test_no_two_of_many_streams_are_the_same() -> None:
    cells = list(product(range(50), NAMES))
    assert len({integer(seed, name) for seed, name in cells}) == len(cells)
    firsts = {float(numpy_stream(seed, name).random()) for seed, name in cells}
    assert len(firsts) == len(cells)


@given(seed=SEEDS)
def test_same_stream_draws_the_same_bits(seed: int) -> None:
    draws = [torch.rand(5, generator=stream(seed, "augment")) for _ in range(2)]
    assert torch.equal(*draws)
    first, second = (numpy_stream(seed, "split").random(5) for _ in range(2))
    assert np.array_equal(first, second)


def test_one_stream_is_blind_to_how_often_another_draws() -> None:
    torch.rand(1000, generator=stream(0, "cluster"))
    busy = torch.rand(5, generator=stream(0, "augment"))
    assert torch.equal(busy, torch.rand(5, generator=stream(0, "augment")))
    assert not torch.equal(busy, torch.rand(5, generator=stream(0, "cluster")))


def test_global_generator_is_left_alone() -> None:
    before = torch.get_rng_state()
    stream(3, "init")
    integer(3, "init")
    assert torch.equal(before, torch.get_rng_state())


def test_values_do_not_change_between_versions_of_the_package() -> None:
    # Records name a seed; the seed must mean the same draws for ever.
    assert [integer(0, name) for name in NAMES] == [
        1885260527,
        1750573562,
        1927830475,
        1060500328,
        1021511626,
    ]


@given(seed=SEEDS, name=st.text(max_size=12), draws=st.integers(0, 5))
def test_branch_follows_from_state_and_name_and_costs_no_draw(
    seed: int, name: str, draws: int
) -> None:
    rng = stream(seed, "augment")
    torch.rand(draws, generator=rng)
    state = rng.get_state()
    number = branch(rng, name)
    assert torch.equal(rng.get_state(), state)
    assert 0 <= number < 2**31
    restored = torch.Generator()
    restored.set_state(state)
    assert branch(restored, name) == number
    assert branch(restored, name + "'") != number
    torch.rand(1, generator=rng)
    assert branch(rng, name) != number


def test_no_two_branches_of_many_steps_are_the_same() -> None:
    rng = stream(0, "augment")
    numbers = set()
    for _ in range(100):
        numbers |= {branch(rng, name) for name in NAMES}
        torch.rand(3, generator=rng)
    assert len(numbers) == 100 * len(NAMES)


def test_a_drawn_seed_is_a_draw_of_31_bits() -> None:
    rng = stream(3, "augment")
    seeds = [drawn_seed(rng) for _ in range(100)]
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) == 100
    assert drawn_seed(stream(3, "augment")) == seeds[0]
