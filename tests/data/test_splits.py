"""Random splits: sizes, disjoint, covering, set by the seed alone."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.seeds import stream
from homogcl.data.splits import random_split, random_split_of


@given(st.integers(1, 400), st.integers(0, 2**31))
def test_split_is_a_partition_with_tenths(num_nodes: int, seed: int) -> None:
    masks = random_split(num_nodes, stream(seed, "split"))
    assert all(mask.dtype == torch.bool and mask.shape == (num_nodes,) for mask in masks)
    assert bool((torch.stack(masks).sum(dim=0) == 1).all())
    tenth = 0 if num_nodes < 3 else max(1, num_nodes // 10)
    assert [int(mask.sum()) for mask in masks] == [tenth, tenth, num_nodes - 2 * tenth]


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 2**31))
def test_nodes_without_label_are_in_no_part(marks: list[bool], seed: int) -> None:
    labeled = torch.tensor(marks)
    masks = random_split_of(labeled, stream(seed, "split"))
    assert torch.equal(torch.stack(masks).sum(dim=0), labeled.long())
    whole = random_split(len(marks), stream(seed, "split"))
    every = random_split_of(torch.ones(len(marks), dtype=torch.bool), stream(seed, "split"))
    assert all(torch.equal(one, two) for one, two in zip(whole, every, strict=True))


def test_split_follows_the_seed() -> None:
    first, again, other = (random_split(500, stream(seed, "split")) for seed in (0, 0, 1))
    for index in range(3):
        assert torch.equal(first[index], again[index])
        assert not torch.equal(first[index], other[index])


def test_each_node_is_drawn_equally_often() -> None:
    trains = torch.stack([random_split(20, stream(seed, "split"))[0] for seed in range(2000)])
    share = trains.double().mean(dim=0)
    # Standard deviation of a share is 0.0067: five of them.
    assert float((share - 0.1).abs().max()) < 0.034
