"""Queries to real databases give the graph of the same rows in files, and no secret is shown."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest

from homogcl.core.errors import UserError
from homogcl.data.streamed.databases import QueryStream, database_of
from homogcl.data.streamed.graph import tables_of
from tests.data.streamed.tables import SETTINGS, assert_same, odd_tables, streamed, write
from tests.postgres import PASSWORD

QUERIES = {
    "edges": "select who, whom, times from follows",
    "nodes": "select * from users order by place",
    **SETTINGS,
    "weight": "times",
}


def fill(execute: Any, mark: str) -> None:
    """Make the tables of a database, whose order of rows is told by a column."""
    edges, nodes = odd_tables()
    execute("create table follows (who text, whom text, times double precision)", [])
    execute(
        "create table users (key text, age double precision, team text, fan boolean, field text, "
        "part text, place integer)",
        [],
    )
    for table, rows in (("follows", edges.to_pylist()), ("users", nodes.to_pylist())):
        for place, row in enumerate(rows):
            values = [*row.values(), *([place] if table == "users" else [])]
            execute(f"insert into {table} values ({', '.join([mark] * len(values))})", values)


def assert_graph_of(source: str, folder: Path) -> None:
    """Compare what queries give with the same rows in files."""
    graph, _, _ = streamed(source, folder / "graph", QUERIES)
    edges, nodes = odd_tables()
    if source.endswith(".sqlite"):  # has no truth values
        nodes = nodes.set_column(3, "fan", nodes.column("fan").cast(pa.int64()))
    write(folder, edges, nodes)
    in_files = {**SETTINGS, "weight": "times", "nodes": str(folder / "nodes.parquet")}
    assert_same(graph, folder / "edges.parquet", in_files)


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "social.sqlite"
    with sqlite3.connect(path) as connection:
        fill(connection.execute, "?")
    assert_graph_of(str(path), tmp_path)


def test_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "social.duckdb"
    with duckdb.connect(str(path)) as connection:
        fill(connection.execute, "?")
    assert_graph_of(str(path), tmp_path)


def test_postgres(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with psycopg.connect(postgres) as connection:
        connection.execute("drop table if exists follows, users")
        fill(lambda query, values: connection.execute(query.encode(), values), "%s")
    assert_graph_of(postgres, tmp_path)
    with pytest.raises(UserError, match=r"(?s)^postgres:///postgres: relation .*nowhere"):
        streamed(postgres, tmp_path / "no", {"edges": "select a, b from nowhere"})
    with pytest.raises(UserError, match=r"read-only transaction|syntax error"):
        streamed(postgres, tmp_path / "no", {"edges": "delete from follows returning who, whom"})


def test_address_and_password_may_come_from_a_variable(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("SOCIAL", postgres.replace("reader@", f"reader:{PASSWORD}@"))
    with psycopg.connect(postgres, password=PASSWORD) as connection:
        connection.execute("create table if not exists one_edge as select 1 as a, 2 as b")
    tables = tables_of("env:SOCIAL", {"edges": "select a, b from one_edge"})
    assert tables.edges.names == ["a", "b"]
    shown = [repr(tables), tables.edges.place, repr(tables.origin("auto"))]
    monkeypatch.setenv("SOCIAL", postgres.replace("reader@", f"reader:{PASSWORD}wrong@"))
    with pytest.raises(UserError, match="authentication failed") as raised:
        list(tables_of("env:SOCIAL", {"edges": "select 1, 2"}).edges.blocks())
    assert not any(PASSWORD in text for text in [*shown, str(raised.value)])


@pytest.mark.parametrize("place", [f"reader:{PASSWORD}@h/db", f"h/db?password={PASSWORD}"])
def test_a_password_in_an_address_is_refused_unseen(place: str) -> None:
    with pytest.raises(UserError, match=r"postgres://h/db: the address holds a password") as raised:
        database_of(f"postgres://{place}")
    assert PASSWORD not in str(raised.value)


@pytest.mark.parametrize(
    "place",
    [
        "reader:se/cret@h/db",
        "reader:se#cret@h/db",
        "reader:cr?se@et@h/db",
        "h/db?password=cr@se",
        "h/db?user=a&sslpassword=secret",
        "reader:@secret@h/db",
    ],
)
def test_a_password_with_signs_of_an_address_is_refused_unseen(place: str) -> None:
    with pytest.raises(UserError, match="the address holds a password") as raised:
        database_of(f"postgres://{place}")
    said = str(raised.value).partition(": the address")[0]
    assert said in ("postgres://h/db", "postgres://...")


@pytest.mark.parametrize("place", ["h:5432/db", "reader@h/passwords", "/db", "h/db?sslmode=off"])
def test_an_address_without_a_password_is_taken(place: str) -> None:
    database = database_of(f"postgres://{place}")
    assert database is not None
    assert database[1:] == ("postgres", f"postgres://{place}")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("mysql://h/db", "mysql://: unknown kind of database"),
        ("env:NOT_SET_ANYWHERE", "there is no such variable"),
        ("nowhere.sqlite", "nowhere.sqlite: there is no such file"),
    ],
)
def test_wrong_sources_are_named(source: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        database_of(source)


def test_what_is_no_database_is_left_to_others(tmp_path: Path) -> None:
    assert database_of(str(tmp_path)) is None
    assert database_of("edges.csv") is None
    assert database_of("cora") is None


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("select a from nowhere", "no such table: nowhere"),
        ("pick 1", "syntax error"),
        ("insert into t values ('x', 'y')", "readonly database"),
        ("begin", "a query that gives rows is needed"),
        ("select a from t", "no column 2 for target"),
        ("select a, b from t", r"query 'select a, b from t' row 3, column 'a': the id is empty"),
    ],
)
def test_wrong_queries_are_named(query: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a, b)")
        connection.executemany("insert into t values (?, ?)", [(1, 2), ("x", 2.5), (None, "y")])
    with pytest.raises(UserError, match=says):
        streamed(str(path), tmp_path / "graph", {"edges": query})


def test_a_database_needs_a_query(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.touch()
    with pytest.raises(UserError, match="say what its edges are"):
        tables_of(str(path), {})


def test_columns_of_many_kinds_become_text(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
        connection.executemany("insert into t values (?)", [(1,), ("x",), (2.5,), (None,)])
    [block] = QueryStream("t.db", "sqlite", str(path), "select a from t").blocks()
    assert block.columns["a"].to_pylist() == ["1", "x", "2.5", None]


def test_uuids_are_ids(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(UUID(int=2**90 + i), UUID(int=2**90 + i // 2)) for i in range(1, 6)]
    expected = sorted({str(each) for pair in pairs for each in pair})
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    rows = ", ".join(f"('{a}'::uuid, '{b}'::uuid)" for a, b in pairs)
    duckdb.connect(str(tmp_path / "u.duckdb")).close()
    for place, source in enumerate((postgres, str(tmp_path / "u.duckdb"))):
        query = f"select a, b from (values {rows}) as t (a, b)"
        graph, _, _ = streamed(source, tmp_path / str(place), {"edges": query})
        assert graph.ids == expected
