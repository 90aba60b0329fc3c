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
from homogcl.core.errors import UserError, first_line
from homogcl.core.files import sync_folder, write_atomically
from homogcl.core.memory import reset_peak

WORK: Final = ".import"  # subfolder for the import, removed once the graph is complete
_DATABASE, _ORIGIN, _DONE = "tables.duckdb", "origin.json", "done.json"
_BLOCKS: Final = 400 * 2**20  # bytes that blocks on their way take beside the database
INCOMING: Final = "incoming"  # the table that a query reads while another one is filled
LEAST: Final = 2**30  # bytes of memory that an import needs

Say = Callable[[str, int], None]  # what is done, and how many rows of it


def connected(path: str | Path, *, read_only: bool = False) -> Any:
    """Return a connection to a DuckDB file."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise UserError("tables beyond memory need DuckDB: pip install 'homogcl[duckdb]'") from None
    try:
        connection = duckdb.connect(str(path), read_only=read_only)
        # Its own bar would go to the output, between what a command prints.
        connection.execute("set enable_progress_bar = false")
        return connection
    except duckdb.Error as error:
        raise UserError(f"{path}: {first_line(error)}") from None


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

    def fill(
        self, table: str, schema: Any, batches: Iterable[Any], query: str = f"from {INCOMING}"
    ) -> int:
        """Make a table of what a query makes of batches, and return how many rows these have.

        Args:
            table: Its name; a table that has it is replaced, once the new one is whole.
            schema: Of the batches, as pyarrow has it.
            batches: Of pyarrow; they are asked for in other threads, never in two at once.
            query: Reads the batches, once, as the table `INCOMING`.
        """
        import pyarrow as pa

        rows = 0
        errors: list[BaseException] = []

        def counted() -> Iterator[Any]:
            nonlocal rows
            try:
                for batch in batches:
                    rows += batch.num_rows
                    self.say(table, rows)
                    yield batch
            except BaseException as error:
                errors.append(error)
                raise

        reader = pa.RecordBatchReader.from_batches(schema, counted())
        self.database.register(INCOMING, reader)
        try:
            self.database.execute(f"create or replace table {table} as {query}")
        except Exception:
            # The database knows of an error in the batches by its text alone.
            if errors:
                raise errors[0] from None
            raise
        finally:
            self.database.unregister(INCOMING)
        return rows

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
    in_use = reset_peak() + _BLOCKS
    free, least = memory - in_use, max(LEAST, in_use + LEAST // 8)
    if memory < least:
        raise UserError(f"memory = {memory / 1e9:.2f} GB: at least {least / 1e9:.2f} GB are needed")
    with closing(connected(work / _DATABASE)) as database:
        # Some of what DuckDB takes does not count within its own limit.
        database.execute(f"set memory_limit = '{int(0.7 * free) // 2**20}MiB'")
        database.execute(f"set threads = {threads()}")
        database.execute("set preserve_insertion_order = false")
        # Nobody knows how long a stream is, so that joins keep the order in which they are written:
        # what stands right is held in memory, what stands left passes by.
        database.execute("set disabled_optimizers = 'join_order,build_side_probe_side'")
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
