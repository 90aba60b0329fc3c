"""Slabs cover every row and every column once."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.data.mapped import open_mapped, write_mapped
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


@pytest.mark.parametrize("on_disk", [False, True])
def test_blocks_stand_side_by_side_wherever_they_lie(
    on_disk: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slabs, "SLAB", 200)
    monkeypatch.setattr(slabs, "_NARROWEST", 1)
    rng = torch.Generator().manual_seed(0)
    t, weight = torch.randn(30, 6, generator=rng), torch.randn(6, 9, generator=rng)
    space = slabs.Workspace(on_disk)
    stored = space.stored(t)
    assert len(list(space.rows(stored))) == (8 if on_disk else 1)
    spans = list(space.columns(30, 9))
    assert len(spans) == (2 if on_disk else 1)
    products = [space.stored(space.product(stored, weight, some)) for some in spans]
    torch.testing.assert_close(torch.cat(products, dim=1), t @ weight)
    assert torch.equal(space.columns_of(stored, slice(2, 5)), t[:, 2:5])
    z = slabs.beside(space, [(0.5, [stored]), (2.0, products)])
    expected = [0.5 * normalize(t), 2 * normalize(t @ weight)]
    torch.testing.assert_close(z, torch.cat(expected, dim=1))


def test_only_graphs_on_disk_have_their_matrices_there(block_graph: Data, tmp_path: Path) -> None:
    assert not slabs.Workspace.of(block_graph).on_disk
    opened = open_mapped(write_mapped(block_graph, tmp_path / "graph"))
    assert slabs.Workspace.of(opened).on_disk
