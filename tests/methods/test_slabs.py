"""Slabs cover every row and every column once."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.methods import slabs


@given(st.integers(0, 70), st.integers(0, 70), st.integers(1, 4000))
def test_slabs_cover_all_rows_and_columns(rows: int, columns: int, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slabs, "SLAB", size)
        x = torch.empty(rows, columns)
        by_rows = [i for part in slabs.row_slabs(x) for i in range(part.start, part.stop)]
        by_columns = [
            j for part in slabs.column_slabs(rows, columns) for j in range(part.start, part.stop)
        ]
    assert by_rows == list(range(rows))
    assert by_columns == list(range(columns))


def test_dense_rows_are_those_of_sparse_features(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slabs, "SLAB", 1000)
    expected = block_graph.x.relu()
    block_graph.x = expected.to_sparse_csr()
    parts = list(slabs.dense_rows(block_graph))
    assert len(parts) > 1
    assert torch.equal(torch.cat([part for _, part in parts]), expected)
