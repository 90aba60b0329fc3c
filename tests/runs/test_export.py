"""Files of vectors and tables, read back by the tools they are for."""

from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.core.scratch import scratch
from homogcl.runs import export
from homogcl.runs.export import write_embeddings, write_table

Z = np.arange(6, dtype=np.float32).reshape(3, 2) / 7


@pytest.mark.parametrize("ids", [["b", 'a "quoted", id', "ü\nline"], [7, 3, 5]])
def test_tables_keep_ids_and_vectors(ids: list[object], tmp_path: Path) -> None:
    write_embeddings(tmp_path / "z.parquet", ids, Z)
    write_embeddings(tmp_path / "z.csv", ids, Z)
    options = pyarrow.csv.ParseOptions(newlines_in_values=True)
    for table in (
        pyarrow.parquet.read_table(tmp_path / "z.parquet"),
        pyarrow.csv.read_csv(tmp_path / "z.csv", parse_options=options),
    ):
        assert table.column_names == ["id", "z0", "z1"]
        assert table.column("id").to_pylist() == ids
        vectors = np.column_stack([table.column("z0").to_numpy(), table.column("z1").to_numpy()])
        np.testing.assert_array_equal(vectors.astype(np.float32), Z)


def test_array_has_its_ids_beside_it(tmp_path: Path) -> None:
    paths = write_embeddings(tmp_path / "z.npy", ["b", "a c", "d"], Z)
    assert [path.name for path in paths] == ["z.npy", "z.ids.txt"]
    np.testing.assert_array_equal(np.load(paths[0], allow_pickle=False), Z)
    assert paths[1].read_text("utf-8") == "b\na c\nd\n"


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_the_form_of_the_vectors_is_said_beside_them(ending: str, tmp_path: Path) -> None:
    paths = write_embeddings(tmp_path / f"z.{ending}", ["a", "b", "c"], Z, "layers/unit")
    assert paths[-1] == tmp_path / "z.form.txt"
    assert paths[-1].read_text() == "layers/unit\n"


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the id 'a\\nb' is not one line"):
        write_embeddings(tmp_path / "z.npy", ["a\nb", "c", "d"], Z)
    with pytest.raises(UserError, match=r"z\.xlsx: unknown ending"):
        write_embeddings(tmp_path / "z.xlsx", ["a", "b", "c"], Z)
    with pytest.raises(UserError, match=r"t\.npy: unknown ending"):
        write_table(tmp_path / "t.npy", {"a": [1]})
    assert list(tmp_path.iterdir()) == []


def test_a_gap_stays_a_gap(tmp_path: Path) -> None:
    write_table(tmp_path / "t.parquet", {"same": [True, None, False], "s": Z[:, 0]})
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.column("same").to_pylist() == [True, None, False]


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_blocks_are_one_file(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(0).random((23, 3), np.float32)
    ids = [f"n{i}" for i in range(23)]
    write_embeddings(tmp_path / f"whole.{ending}", ids, z)
    monkeypatch.setattr(export, "_NUMBERS", 12)
    on_disk = scratch((23, 3), torch.float32)
    on_disk.copy_(torch.from_numpy(z))
    write_embeddings(tmp_path / f"blocks.{ending}", ids, on_disk)
    whole, blocks = (tmp_path / f"{name}.{ending}" for name in ("whole", "blocks"))
    if ending == "parquet":
        assert pyarrow.parquet.ParquetFile(blocks).num_row_groups == 6
        assert pyarrow.parquet.read_table(blocks) == pyarrow.parquet.read_table(whole)
    else:
        assert blocks.read_bytes() == whole.read_bytes()


def test_no_nodes_are_an_empty_table(tmp_path: Path) -> None:
    write_embeddings(tmp_path / "z.parquet", [], Z[:0])
    write_embeddings(tmp_path / "z.npy", [], Z[:0])
    assert pyarrow.parquet.read_table(tmp_path / "z.parquet").column_names == ["id", "z0", "z1"]
    assert np.load(tmp_path / "z.npy").shape == (0, 2)
