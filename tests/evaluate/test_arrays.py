"""Arrays of every kind arrive as tensors, and what cannot be evaluated is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.scratch import let_go, scratch
from homogcl.evaluate.arrays import (
    Array,
    as_tensor,
    dense_embedding,
    finite_embedding,
    split_rows,
)

VALUES = [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]


def test_tensor_shares_memory_but_no_gradient() -> None:
    z = torch.tensor(VALUES, requires_grad=True)
    tensor = as_tensor(z * 1)
    assert not tensor.requires_grad
    assert as_tensor(z).data_ptr() == z.data_ptr()


def test_numpy_array_is_copied_also_where_it_is_read_only_or_strided() -> None:
    array = np.array(VALUES)
    array.setflags(write=False)
    for each in (array, array[::-1], array.T):
        tensor = as_tensor(each)
        assert np.array_equal(tensor.numpy(), each)
        tensor += 1
    assert np.array_equal(array, VALUES)


@pytest.mark.parametrize(
    ("z", "dtype"),
    [
        (torch.tensor(VALUES), torch.float32),
        (torch.tensor(VALUES).double(), torch.float64),
        (torch.tensor(VALUES).long(), torch.float32),
        (torch.tensor(VALUES).to_sparse(), torch.float32),
        (np.array(VALUES), torch.float64),
        (np.array(VALUES, dtype=np.int32), torch.float32),
        (np.array(VALUES, dtype=bool), torch.float32),
    ],
)
def test_embedding_is_dense_and_of_floating_point(z: Array, dtype: torch.dtype) -> None:
    dense = dense_embedding(z)
    assert dense.layout == torch.strided
    assert dense.dtype == dtype
    expected = torch.tensor(VALUES, dtype=dtype)
    is_flag = isinstance(z, np.ndarray) and z.dtype == bool
    assert torch.equal(dense, (expected != 0).to(dtype) if is_flag else expected)


def test_compressed_rows_are_written_out() -> None:
    assert dense_embedding(torch.tensor(VALUES).to_sparse_csr()).tolist() == VALUES


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_first_node_that_is_not_finite_is_named(value: float) -> None:
    z = torch.zeros(5, 3)
    z[2, 1] = z[4, 0] = value
    for each in (z, z.numpy(), z.to_sparse_csr()):
        with pytest.raises(UserError, match="the embedding of node 2 holds NaN or infinity"):
            dense_embedding(each)


@pytest.mark.parametrize("row", range(7))
def test_a_row_that_is_not_finite_is_named_in_any_block(
    row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.evaluate.arrays._NUMBERS", 6)
    z = torch.zeros(7, 3)
    assert torch.equal(dense_embedding(z), z)
    z[row:, 2] = torch.nan
    with pytest.raises(UserError, match=f"of node {row} holds NaN"):
        dense_embedding(z)


def test_looking_for_what_is_not_finite_takes_a_block_only() -> None:
    z = scratch((20_000_000, 4), torch.float32)  # 320 MB on disk
    before = reset_peak()
    finite_embedding(z)
    let_go(z)
    resident = 320e6  # pages of the file that were read
    assert peak_bytes() - before < resident + 100e6


@pytest.mark.parametrize("kind", [torch.tensor, np.array])
def test_rows_are_the_numbers_of_the_nodes_in_each_part(kind: Callable[..., Array]) -> None:
    train, val, test = ([1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0])
    split = (kind(train) == 1, kind(val) == 1, kind(test) == 1)
    assert [rows.tolist() for rows in split_rows(split)] == [[0, 3], [1], [2]]
    for place, name in enumerate(("training", "validation", "test")):
        parts = [kind([0, 0]) == (1 if number == place else 0) for number in range(3)]
        with pytest.raises(UserError, match=f"no labeled node in the {name} part of the split"):
            split_rows((parts[0], parts[1], parts[2]))
