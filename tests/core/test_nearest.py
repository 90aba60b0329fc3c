from __future__ import annotations

import pytest
import torch
from sklearn.neighbors import NearestNeighbors
from torch.nn.functional import normalize

from homogcl.core.nearest import nearest_rows
from tests.reference.neighbors import LargestTensor


def units(rows: int, seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(rows, 6, generator=rng, dtype=torch.float64))


def ranking(a: torch.Tensor, b: torch.Tensor, k: int) -> list[list[int]]:
    """The k rows of `b` nearest to each row of `a`, by scikit-learn."""
    index = NearestNeighbors(n_neighbors=k, metric="cosine").fit(b.numpy())
    rows: list[list[int]] = index.kneighbors(a.numpy(), return_distance=False).tolist()
    return rows


@pytest.mark.parametrize("block", [1, 7, 50, 1024])
def test_rows_are_those_of_scikit_learn_largest_product_first(block: int) -> None:
    a, b = units(50, 1), units(40, 2)
    indices, products = nearest_rows(a, b, 4, block=block)
    assert indices.tolist() == ranking(a, b, 4)
    torch.testing.assert_close(products, (a[:, None] * b[indices]).sum(-1))


@pytest.mark.parametrize("block", [1, 7, 50, 1024])
def test_the_own_row_comes_first_or_is_left_out(block: int) -> None:
    a, b, own = units(50, 1), units(50, 2), torch.arange(50)
    first, products = nearest_rows(a, b, 4, own=own, own_first=True, block=block)
    others, _ = nearest_rows(a, b, 3, own=own, block=block)
    for i, near in enumerate(ranking(a, b, 5)):
        expected = [j for j in near if j != i][:3]
        assert first[i].tolist() == [i, *expected]
        assert others[i].tolist() == expected
    assert bool((products[:, 0] == torch.inf).all())


def test_a_small_matrix_has_fewer_rows_than_asked_for() -> None:
    a, b, own = units(3, 1), units(3, 2), torch.arange(3)
    first, _ = nearest_rows(a, b, 8, own=own, own_first=True)
    assert first.sort(1).values.tolist() == [[0, 1, 2]] * 3
    others, _ = nearest_rows(a, b, 8, own=own)
    assert others.sort(1).values.tolist() == [[1, 2], [0, 2], [0, 1]]


def test_only_one_block_of_products_is_held() -> None:
    a, b = units(600, 1), units(600, 2)
    with LargestTensor() as largest:
        nearest_rows(a, b, 4, own=torch.arange(600), own_first=True, block=50)
    assert largest.numel == 50 * 600
