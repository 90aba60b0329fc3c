"""Held-out edges and pairs without one, against sets and counting."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core import held_out
from homogcl.core.errors import UserError
from homogcl.core.held_out import hold_out, rejoined
from homogcl.core.seeds import stream
from homogcl.data.edges import undirected


@given(
    st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), min_size=4, max_size=50),
    st.floats(0.05, 0.5),
    st.integers(0, 2**31),
)
@settings(max_examples=50, deadline=None)
def test_parts_are_those_of_sets(pairs: list[tuple[int, int]], share: float, seed: int) -> None:
    edge_index, _ = undirected(torch.tensor(pairs).t(), 15)
    edges = {(s, t) for s, t in edge_index.t().tolist() if s < t}
    if len(edges) < 2:
        return
    links = hold_out(edge_index, 15, stream(seed, "links"), share)
    held = set(map(tuple, links.edges.t().tolist()))
    left = {(s, t) for s, t in edge_index[:, links.remaining].t().tolist()}
    others = [tuple(pair) for pair in links.others.t().tolist()]
    assert len(held) == links.edges.size(1) == max(1, round(share * len(edges)))
    assert left == {(s, t) for a, b in edges - held for s, t in ((a, b), (b, a))}
    assert len(set(others)) == len(others) == len(held)
    assert all(s < t and (s, t) not in edges for s, t in others)


def test_pairs_without_an_edge_are_drawn_equally_often() -> None:
    edge_index, _ = undirected(torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), 5)
    drawn = [
        tuple(hold_out(edge_index, 5, stream(s, "x")).others[:, 0].tolist()) for s in range(1200)
    ]
    free = set(itertools.combinations(range(5), 2)) - {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert set(drawn) == free
    # 200 each with a standard deviation of 13: five of them.
    assert all(abs(drawn.count(pair) - 200) < 65 for pair in free)


def test_graphs_that_allow_no_task_are_refused() -> None:
    one, _ = undirected(torch.tensor([[0], [1]]), 4)
    with pytest.raises(UserError, match="at least two edges"):
        hold_out(one, 4, stream(0, "links"))
    full, _ = undirected(torch.tensor([[0, 0, 1], [1, 2, 2]]), 3)
    with pytest.raises(UserError, match="needs 1 pairs without an edge; there are 0"):
        hold_out(full, 3, stream(0, "links"))


@given(st.integers(1, 30), st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_edges_that_are_looked_at_in_parts_give_the_same(size: int, seed: int) -> None:
    pairs = torch.randint(20, (2, 40), generator=torch.Generator().manual_seed(seed))
    edge_index, _ = undirected(pairs, 20)
    whole = hold_out(edge_index, 20, stream(seed, "links"), 0.3)
    looks: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held_out, "_TOGETHER", size)
        parts = hold_out(edge_index, 20, stream(seed, "links"), 0.3, lambda: looks.append(1))
    for name in ("remaining", "edges", "others"):
        assert torch.equal(getattr(parts, name), getattr(whole, name))
    assert len(looks) >= 4 * (edge_index.size(1) // size)


def test_some_of_very_many_are_drawn_without_a_shuffle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "_MOST_SHUFFLED", 5)
    drawn = [held_out._drawn(6, 2, stream(seed, "x")).tolist() for seed in range(1500)]
    assert all(len(set(numbers)) == 2 for numbers in drawn)
    counts = [
        sum(pair == list(each) for pair in drawn) for each in itertools.permutations(range(6), 2)
    ]
    # 50 each with a standard deviation of 7: five of them.
    assert all(abs(count - 50) < 35 for count in counts)


def test_ends_that_are_joined_anew_keep_their_degrees() -> None:
    edges = torch.randint(50, (2, 200), generator=torch.Generator().manual_seed(0))
    pairs = rejoined(edges, torch.Generator().manual_seed(1))
    assert torch.equal(pairs.flatten().bincount(), edges.flatten().bincount())
    assert not torch.equal(pairs, edges)
    # Either end may become either end: sources alone would keep the direction of the list.
    assert not torch.equal(pairs[0].bincount(minlength=50), edges[0].bincount(minlength=50))
