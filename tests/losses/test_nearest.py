from __future__ import annotations

import pytest
import torch
from sklearn.neighbors import NearestNeighbors
from torch.nn.functional import normalize

from homogcl.losses.nearest import nearest_rows, real_positives
from tests.reference.neighbors import LargestTensor


def units(rows: int, seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(rows, 6, generator=rng, dtype=torch.float64))


@pytest.mark.parametrize("block", [1, 7, 50, 1024])
def test_the_others_are_those_of_scikit_learn_and_the_node_itself_comes_first(block: int) -> None:
    a, b = units(50, 1), units(50, 2)
    found = nearest_rows(a, b, 4, block)
    index = NearestNeighbors(n_neighbors=5, metric="cosine").fit(b.numpy())
    near = index.kneighbors(a.numpy(), return_distance=False).tolist()
    for i in range(50):
        assert found[i].tolist() == [i, *[j for j in near[i] if j != i][:3]]


def test_a_small_graph_has_fewer_rows_than_asked_for() -> None:
    assert nearest_rows(units(3, 1), units(3, 2), 8).sort(1).values.tolist() == [[0, 1, 2]] * 3


def test_only_one_block_of_products_is_held() -> None:
    with LargestTensor() as largest:
        nearest_rows(units(600, 1), units(600, 2), 4, block=50)
    assert largest.numel == 50 * 600


def test_positives_are_the_nearest_pairs_that_edges_or_clusters_confirm() -> None:
    rng = torch.Generator().manual_seed(0)
    nearest = nearest_rows(units(30, 1), units(30, 2), 6)
    labels = torch.randint(8, (3, 30), generator=rng)
    edges = torch.randint(30, (2, 80), generator=rng)
    edges = torch.cat([edges, edges.flip(0)], dim=1)
    adjacent = set(map(tuple, edges.t().tolist()))
    expected = []
    for i in range(30):
        for j in sorted(nearest[i].tolist()):
            shared = any(int(run[i]) == int(run[j]) for run in labels)
            if i == j or (i, j) in adjacent or shared:
                expected.append((i, j))
    pairs = real_positives(nearest, labels, edges)
    assert list(zip(pairs.row.tolist(), pairs.col.tolist(), strict=True)) == expected
    assert len(expected) < 30 * 6
