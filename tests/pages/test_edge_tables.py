"""Edges as pages show them: by node, the lowest of all, and counted by saliency."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.pages.edge_tables import (
    lowest_edges,
    mean_saliency,
    ranked_edges,
    saliency_histogram,
)

EDGES = np.array([[0, 0, 0, 1, 1, 2, 2, 3], [1, 2, 3, 0, 2, 0, 1, 0]])
S = np.array([0.2, 0.9, 0.5, 0.2, 0.7, 0.9, 0.7, 0.5])


def test_edges_are_ranked_within_each_node() -> None:
    edges = ranked_edges(EDGES, S, nodes=5)
    assert edges.offsets.tolist() == [0, 3, 5, 7, 8, 8]
    assert edges.targets.tolist() == [2, 3, 1, 2, 0, 0, 1, 0]
    assert edges.saliency.tolist() == [0.9, 0.5, 0.2, 0.7, 0.2, 0.9, 0.7, 0.5]


def test_of_many_neighbors_the_extremes_are_kept() -> None:
    edges = ranked_edges(EDGES, S, nodes=5, most=2)
    assert edges.offsets.tolist() == [0, 2, 4, 6, 7, 7]
    assert edges.targets.tolist() == [2, 1, 2, 0, 0, 1, 0]
    star = np.array([[0] * 9, range(1, 10)])
    edges = ranked_edges(star, np.linspace(0.1, 0.9, 9), nodes=10, most=5)
    assert edges.targets.tolist() == [9, 8, 7, 2, 1]


def test_histogram_counts_each_edge_once_by_its_labels() -> None:
    bins = saliency_histogram(EDGES, S, np.array([0, 0, 1, -1]), bins=2)
    assert bins.same.tolist() == [1, 0]  # 0-1 at 0.2
    assert bins.different.tolist() == [0, 2]  # 0-2 at 0.9, 1-2 at 0.7
    assert bins.unknown.tolist() == [0, 1]  # 0-3 at 0.5
    assert saliency_histogram(EDGES, S, None, bins=2).unknown.tolist() == [1, 3]


def test_histogram_without_edges_is_empty() -> None:
    none = np.zeros((2, 0), dtype=np.int64)
    assert saliency_histogram(none, np.zeros(0), None).total.sum() == 0


def test_lowest_edges_come_first_and_each_once() -> None:
    lowest = lowest_edges(EDGES, S, most=3)
    assert lowest.source.tolist() == [0, 0, 1]
    assert lowest.target.tolist() == [1, 3, 2]
    assert lowest.saliency.tolist() == [0.2, 0.5, 0.7]
    assert len(lowest_edges(EDGES, S).source) == 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(1, 12))
def test_lowest_and_mean_equal_plain_loops(seed: int, nodes: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in range(nodes) for b in range(a) if rng.random() < 0.5]
    values = {pair: float(rng.integers(4)) / 4 for pair in pairs}
    both = sorted([*pairs, *((b, a) for a, b in pairs)])
    edges = np.array(both, dtype=np.int64).reshape(-1, 2).T
    s = np.array([values[max(a, b), min(a, b)] for a, b in both])
    expected = sorted((value, b, a) for (a, b), value in values.items())[:most]
    lowest = lowest_edges(edges, s, most)
    listed = zip(lowest.saliency, lowest.source, lowest.target, strict=True)
    assert [(float(value), int(a), int(b)) for value, a, b in listed] == expected
    means = mean_saliency(edges, s, nodes)
    for node in range(nodes):
        own = [value for (a, b), value in values.items() if node in (a, b)]
        wanted = sum(own) / len(own) if own else np.nan
        assert means[node] == pytest.approx(wanted, nan_ok=True)
