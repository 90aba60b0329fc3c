"""Homophily of edges ordered by saliency, against all orders of equal edges and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.evaluate.saliency import homophily_by_saliency, saliency_scores

Edge = tuple[float, int]  # saliency, and 1 where both nodes have one label


def scored(edges: list[Edge], interval: int = 500) -> dict[str, float]:
    saliency, same = zip(*edges, strict=True)
    return homophily_by_saliency(np.array(saliency, dtype=np.float32), np.array(same), interval)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 1)), min_size=1, max_size=6)
)
@settings(deadline=None, max_examples=40)
def test_intervals_are_means_over_all_orders_of_equal_edges(edges: list[Edge]) -> None:
    metrics = scored(edges, interval=2)
    orders = [
        order
        for order in itertools.permutations(edges)
        if all(a[0] <= b[0] for a, b in itertools.pairwise(order))
    ]
    for start in range(0, len(edges), 2):
        stop = min(start + 2, len(edges))
        shares = [sum(same for _, same in o[start:stop]) / (stop - start) for o in orders]
        expected = sum(shares) / len(orders)
        assert metrics[f"edge_homophily_{stop:05d}"] == pytest.approx(expected)
    whole = sum(same for _, same in edges) / len(edges)
    assert metrics["edge_homophily"] == pytest.approx(whole)
    assert ("saliency_auc" in metrics) == (0 < whole < 1)


def test_edges_count_once_and_those_without_labels_are_left_out() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 3], [1, 0, 2, 1, 3, 0]])
    saliency = torch.tensor([0.1, 0.1, 0.3, 0.3, 0.2, 0.2])
    labels = torch.tensor([4, 4, 5, -1])
    assert saliency_scores(saliency, edges, labels) == {
        "edge_homophily": 0.5,
        "edge_homophily_00002": 0.5,
        "saliency_auc": 0.0,
    }
    assert saliency_scores(saliency, edges, torch.full((4,), -1)) == {}
