"""Where an import works: a database on disk, and which stages are done."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from homogcl.core import faults
from homogcl.core.errors import UserError
from homogcl.core.files import sync_folder, write_atomically
from homogcl.core.memory import reset_peak

WORK: Final = ".import"  # subfolder for the import, removed once the graph is complete
_DATABASE, _ORIGIN, _DONE = "tables.duckdb", "origin.json", "done.json"
_BLOCKS: Final = 400 * 2**20  # bytes that blocks on their way take beside the database
_TOGETHER: Final = 2**19  # rows that are handed to the database at once
LEAST: Final = 2**30  # bytes of memory that an import needs

Say = Callable[[str, int], None]  # what is done, and how many rows of it


def connected(path: str | Path, *, read_only: bool = False) -> Any:
    """Return a connection to a DuckDB file."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise UserError("tables beyond memory need DuckDB: pip install 'homogcl[duckdb]'") from None
    try:
        return duckdb.connect(str(path), read_only=read_only)
    except duckdb.Error as error:
        raise UserError(f"{path}: {str(error).splitlines()[0]}") from None


@dataclass(frozen=True)
class Store:
    """The tables of an import, and the facts that its finished stages found."""

    folder: Path
    database: Any
    memory: int  # bytes that the whole process may take
    say: Say

    def stage(self, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Run a stage unless an earlier import finished it; return its facts."""
        done: dict[str, dict[str, Any]] = _json(self.folder / _DONE)
        if name not in done:
            facts = work()
            self.database.execute("checkpoint")
            sync_folder(self.folder)
            faults.maybe("import-stage")
            done[name] = facts
            write_atomically(self.folder / _DONE, json.dumps(done).encode())
        return done[name]

    def fill(self, table: str, columns: str, batches: Iterable[Any]) -> int:
        """Make a table of batches of pyarrow and return how many rows it has."""
        import pyarrow as pa

        self.database.execute(f"create or replace table {table} ({columns})")
        self.database.execute("begin")
        waiting: list[Any] = []
        rows = 0
        try:
            for batch in batches:
                waiting.append(batch)
                rows += batch.num_rows
                if sum(each.num_rows for each in waiting) >= _TOGETHER:
                    self._append(table, pa.Table.from_batches(waiting))
                    waiting = []
                    self.say(table, rows)
            if waiting:
                self._append(table, pa.Table.from_batches(waiting))
        except BaseException:
            self.database.execute("rollback")
            raise
        self.database.execute("commit")
        self.say(table, rows)
        return rows

    def _append(self, table: str, rows: Any) -> None:
        self.database.register("incoming", rows)
        self.database.execute(f"insert into {table} select * from incoming")
        self.database.unregister("incoming")

    def one(self, query: str, values: Sequence[object] = ()) -> Any:
        """Return the only row of a query, None if there is none."""
        # A result that is not read to its end would keep the connection busy.
        rows = self.database.execute(query, list(values)).fetchall()
        return rows[0] if rows else None

    def batches(self, query: str, rows: int = 2**18) -> Iterator[Any]:
        """Yield the result of a query in batches of pyarrow."""
        yield from self.database.sql(query).to_arrow_reader(rows)


@contextmanager
def opened_store(
    folder: Path, origin: Mapping[str, object], memory: int, say: Say
) -> Iterator[Store]:
    """Yield the store of an import into `folder`; continue a killed import of the same tables.

    Args:
        folder: Of the graph to be.
        origin: What is read and how; another origin begins anew.
        memory: Bytes that this process may take in all.
        say: Hears of progress.
    """
    work = folder / WORK
    text = json.dumps(origin, sort_keys=True, default=str)
    if work.exists() and _read(work / _ORIGIN) != text.encode():
        remove_store(folder)
    if not (work / _ORIGIN).exists():
        write_atomically(work / _DONE, b"{}")
        write_atomically(work / _ORIGIN, text.encode())
    free = memory - reset_peak() - _BLOCKS
    if memory < LEAST or free < LEAST // 8:
        raise UserError(f"memory = {memory / 1e9:.2f} GB: at least {LEAST / 1e9:.2f} GB are needed")
    with closing(connected(work / _DATABASE)) as database:
        # Some of what DuckDB takes does not count within its own limit.
        database.execute(f"set memory_limit = '{int(0.7 * free) // 2**20}MiB'")
        database.execute(f"set threads = {threads()}")
        database.execute("set preserve_insertion_order = false")
        with _named(folder):
            yield Store(work, database, memory, say)
    remove_store(folder)


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Turn errors of a full memory or disk into one line."""
    import duckdb

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"{folder}: {reason}; with more memory (--memory) or room on the disk the same command "
            "goes on"
        ) from None


def remove_store(folder: Path) -> None:
    """Remove what an import into `folder` needed on its way."""
    shutil.rmtree(folder / WORK, ignore_errors=True)


def threads() -> int:
    """Return how many threads DuckDB takes: as many as torch is told to."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) else len(os.sched_getaffinity(0))


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
