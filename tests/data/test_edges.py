"""Undirected edges against a loop."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.data.edges import undirected

edge_lists = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 9)))


@given(edge_lists)
def test_edges_are_symmetric_sorted_and_average_their_weights(
    edges: list[tuple[int, int, int]],
) -> None:
    given_weights: dict[tuple[int, int], list[int]] = {}
    for source, target, value in edges:
        if source != target:
            given_weights.setdefault((source, target), []).append(value)
            given_weights.setdefault((target, source), []).append(value)
    expected = sorted(given_weights)
    means = [sum(given_weights[edge]) / len(given_weights[edge]) for edge in expected]

    columns = torch.tensor(edges, dtype=torch.int64).view(-1, 3).t()
    plain, nothing = undirected(columns[:2], 7)
    weighted, weight = undirected(columns[:2], 7, columns[2].double())
    assert nothing is None
    assert plain.t().tolist() == [list(edge) for edge in expected]
    assert torch.equal(weighted, plain)
    assert weight is not None
    torch.testing.assert_close(weight, torch.tensor(means, dtype=torch.float64))
