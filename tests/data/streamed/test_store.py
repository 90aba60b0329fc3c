"""The store of an import: stages once each, tables whole or as before, memory as allowed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed.store import INCOMING, LEAST, WORK, connected, opened_store, remove_store
from tests.data.streamed.tables import MEMORY, quiet


def test_a_stage_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def work() -> dict[str, int]:
        calls.append(1)
        return {"rows": 3}

    for _ in range(2):
        with suppress(KeyError), opened_store(tmp_path, {"a": 1}, MEMORY, quiet) as store:
            assert store.stage("first", work) == {"rows": 3}
            raise KeyError
    assert len(calls) == 1
    with opened_store(tmp_path, {"a": 2}, MEMORY, quiet) as store:
        store.stage("first", work)
    assert len(calls) == 2
    assert not (tmp_path / WORK).exists()


def test_a_table_is_filled_whole_or_not_at_all(tmp_path: Path) -> None:
    batch = pa.record_batch({"n": [1, 2, 3]})
    schema = batch.schema

    def broken() -> Iterator[pa.RecordBatch]:
        yield batch
        raise UserError("row 4: is wrong")

    with opened_store(tmp_path, {}, MEMORY, quiet) as store:
        assert store.fill("t", schema, [batch, batch]) == 6
        assert store.one("select sum(n) from t") == (12,)
        with pytest.raises(UserError, match="row 4: is wrong"):
            store.fill("t", schema, broken())
        assert store.one("select count(*) from t") == (6,)
        assert store.fill("t", schema, [], f"select n + 1 as n from {INCOMING}") == 0
        assert store.fill("t", schema, [batch], f"select n + 1 as n from {INCOMING}") == 3
        assert store.one("select sum(n) from t") == (9,)
        parts = [each.num_rows for each in store.batches("select * from range(100000)", 5000)]
        assert sum(parts) == 100_000
        assert len(parts) > 1


def test_too_little_memory_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="at least"),
        opened_store(tmp_path, {}, LEAST // 2, quiet),
    ):
        pass


def test_what_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("no database")
    with pytest.raises(UserError, match=r"x\.duckdb"):
        connected(tmp_path / "x.duckdb", read_only=True)


def test_the_store_can_be_removed_twice(tmp_path: Path) -> None:
    (tmp_path / WORK).mkdir()
    remove_store(tmp_path)
    remove_store(tmp_path)
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import json, sys
from contextlib import suppress
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet
from homogcl.core.memory import peak_bytes
from homogcl.data.streamed.graph import stream_graph, tables_of
folder, rows = Path(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
writer = None
for _ in range(8):
    ends = rng.integers(0, rows // 4, (2, rows // 8))
    names = [pa.array(np.char.add("node-with-a-long-name-", each.astype(str))) for each in ends]
    table = pa.table(names, names=["a", "b"])
    writer = writer or pa.parquet.ParquetWriter(folder / "e.parquet", table.schema)
    writer.write_table(table)
writer.close()
names = pa.array(np.char.add("node-with-a-long-name-", np.arange(rows // 4).astype(str)))
numbers = {f"x{j}": rng.random(rows // 4) for j in range(4)}
pa.parquet.write_table(pa.table({"id": names, **numbers}), folder / "n.parquet")
del names, numbers, table
tables = tables_of(str(folder / "e.parquet"), {"nodes": str(folder / "n.parquet")})
from homogcl.core.memory import reset_peak
reset_peak()
summary, _ = stream_graph(tables, folder / "graph", int(sys.argv[3]), lambda *_: None)
print(json.dumps({"peak": peak_bytes(), "edges": summary.edges}))
"""


def test_the_database_prints_nothing_of_its_own(tmp_path: Path) -> None:
    bar = connected(tmp_path / "a.duckdb").sql("select current_setting('enable_progress_bar')")
    assert bar.fetchall() == [(False,)]


def test_the_limit_of_memory_is_kept(tmp_path: Path) -> None:
    limit = 1_300_000_000
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), "2000000", str(limit)],
        check=True,
        capture_output=True,
        text=True,
    )
    result = json.loads(done.stdout)
    assert result["edges"] > 1_900_000
    assert result["peak"] < limit


@pytest.mark.parametrize("error", [duckdb.OutOfMemoryException, duckdb.IOException])
def test_too_little_memory_or_disk_is_one_line(error: type[Exception], tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="failed to allocate; with more memory"),
        opened_store(tmp_path, {}, MEMORY, quiet),
    ):
        raise error("failed to allocate\nmore")
    assert (tmp_path / WORK).exists()
