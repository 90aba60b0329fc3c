"""Queries to SQLite, Postgres and DuckDB as streams of blocks; nothing is written there.

A password never stands in an address that is given: libpq reads it from the environment
(`PGPASSWORD`, `PGPASSFILE`), or the whole address comes from a variable, as `env:DATABASE_URL`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from homogcl.core.errors import UserError
from homogcl.data.own.tables import MemoryTable, arrow
from homogcl.data.streamed.streams import ROWS

SCHEMES: Final = ("postgres", "postgresql")
VARIABLE: Final = "env:"
_FILES: Final = {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".duckdb": "duckdb"}

_PASSWORD: Final = re.compile(r"[?&](ssl)?password=", re.IGNORECASE)

# Rows of a query as lists of values, and first the names of the columns.
Rows = Callable[[str, str], Iterator[Any]]


@dataclass(frozen=True)
class QueryStream:
    """The rows of a query."""

    database: str  # its name for people
    kind: str
    address: str = field(repr=False)
    query: str

    @property
    def place(self) -> str:
        """What the query is called in messages."""
        text = " ".join(self.query.split())
        return f"{self.database}, query {text if len(text) <= 60 else text[:57] + '...'!r}"

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        rows = _READERS[self.kind](self.address, self.query)
        names: list[str] = _next(rows, self.database, self.query)
        rows.close()  # type: ignore[attr-defined]
        return names

    def blocks(self) -> Iterator[MemoryTable]:
        """Yield the rows as the database gives them."""
        rows = _READERS[self.kind](self.address, self.query)
        names: list[str] = _next(rows, self.database, self.query)
        before = 0
        while (block := _next(rows, self.database, self.query)) is not None:
            columns = block if isinstance(block, list) else [_plain(c) for c in block.columns]
            size = len(columns[0]) if columns else 0
            yield MemoryTable(
                self.place, dict(zip(names, columns, strict=True)), rows_before=before
            )
            before += size

    def state(self) -> Mapping[str, object]:
        """Return the query and, of a file, its size and the time of its last change."""
        path = Path(self.address)
        stat = path.stat() if self.kind != "postgres" and path.exists() else None
        changed = [stat.st_size, stat.st_mtime_ns] if stat else []
        return {self.database: [self.query, *changed]}


def database_of(source: str) -> tuple[str, str, str] | None:
    """Return name, kind and address of the database that `source` stands for; None if it is none.

    It is `postgres://...`, a file of SQLite or DuckDB, or `env:NAME`, where the variable NAME holds
    such an address.
    """
    address = source
    if source.startswith(VARIABLE):
        address = os.environ.get(source.removeprefix(VARIABLE), "")
        if not address:
            raise UserError(f"{source}: there is no such variable in the environment")
    if "://" in address:
        return _postgres_address(source, address)
    kind = _FILES.get(Path(address).suffix.lower())
    if kind is None or Path(address).is_dir():
        return None
    path = Path(address).expanduser()
    if not path.is_file():
        raise UserError(f"{source}: there is no such file")
    return str(source), kind, str(path)


def _postgres_address(source: str, address: str) -> tuple[str, str, str]:
    scheme, _, rest = address.partition("://")
    # A password may hold any sign, also one that ends the part with the host elsewhere.
    user, _, place = rest.rpartition("@")
    secret = ":" in user or _PASSWORD.search(rest) is not None
    try:
        parts = urlsplit(f"{scheme}://{place}")
        name = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
    except ValueError:
        raise UserError("the address of the database cannot be read") from None
    if "?" in user:  # then what stands behind the sign may be of a value, such as a password
        name = f"{parts.scheme}://..."
    if parts.scheme not in SCHEMES:
        raise UserError(f"{parts.scheme}://: unknown kind of database; postgres:// can be read")
    if secret and not source.startswith(VARIABLE):
        raise UserError(
            f"{name}: the address holds a password; leave it out and set PGPASSWORD, or put the "
            "address into a variable of the environment and give env:NAME"
        )
    return name, "postgres", address


def _next(rows: Iterator[Any], database: str, query: str) -> Any:
    """Return what comes next, None at the end; what a database says is one line."""
    try:
        return next(rows, None)
    except UserError:
        raise
    except Exception as error:
        # Each database has errors of its own, without a common kind.
        line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"{database}: {line} (in {' '.join(query.split())!r})") from None


def _sqlite(address: str, query: str) -> Iterator[Any]:
    uri = f"file:{quote(address)}?mode=ro"
    # Rows are fetched in whatever thread asks for them, by one thread at a time.
    with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as connection:
        yield from _fetched(connection.execute(query))


def _postgres(address: str, query: str) -> Iterator[Any]:
    try:
        import psycopg
    except ModuleNotFoundError:
        raise UserError("Postgres needs psycopg: pip install 'homogcl[postgres]'") from None
    # Where the server knows no encoding, texts would come as bytes.
    with psycopg.connect(address, client_encoding="utf8") as connection:
        connection.read_only = True
        # A cursor of the server sends only the rows that are asked for.
        with connection.cursor("homogcl") as cursor:
            cursor.execute(query.rstrip().rstrip(";").encode())
            yield from _fetched(cursor)


def _duckdb(address: str, query: str) -> Iterator[Any]:
    from homogcl.data.streamed.store import connected

    with closing(connected(address, read_only=True)) as connection:
        relation = connection.sql(query)
        if relation is None:
            raise UserError("a query that gives rows is needed")
        yield relation.columns
        yield from relation.to_arrow_reader(ROWS)


def _fetched(cursor: Any) -> Iterator[Any]:
    if cursor.description is None:
        raise UserError("a query that gives rows is needed")
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(ROWS):
        yield [_column(values) for values in zip(*rows, strict=True)]


def _column(values: Sequence[Any]) -> Any:
    pa = arrow()
    try:
        return _plain(pa.array(values, from_pandas=True))
    except (pa.ArrowException, OverflowError):
        return _texts(values)


def _plain(column: Any) -> Any:
    """Return a column of a kind such as UUID, of which pyarrow knows little, as text."""
    is_plain = not isinstance(column.type, arrow().BaseExtensionType)
    return column if is_plain else _texts(column.to_pylist())


def _texts(values: Sequence[Any]) -> Any:
    texts = [None if value is None else str(value) for value in values]
    return arrow().array(texts, arrow().string())


_READERS: Final[Mapping[str, Rows]] = {
    "sqlite": _sqlite,
    "postgres": _postgres,
    "duckdb": _duckdb,
}
