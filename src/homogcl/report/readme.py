"""The tables that README and docs show, by name, made of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from homogcl.files import write_atomically
from homogcl.report.table import Table, insert_between_markers
from homogcl.report.tables import classification_table, clustering_table, milestone_table
from homogcl.reported import read
from homogcl.results import Record

DATA = ("cora", "citeseer", "pubmed", "photo", "computers")


def named_table(name: str, records: Iterable[Record]) -> Table:
    """Return the table called `name`."""
    return TABLES[name](list(records))


def update(path: Path, tables: Mapping[str, Table]) -> None:
    """Put tables between their markers in a text file."""
    text = path.read_text("utf-8")
    for name, table in tables.items():
        text = insert_between_markers(text, name, table)
    write_atomically(path, text.encode())


def _foundation(records: list[Record]) -> Table:
    methods = ("raw", "random", "grace", "grace+homogcl")
    return classification_table(records, read("classification"), methods, DATA)


def _epochs(records: list[Record]) -> Table:
    return milestone_table(records, ("grace", "grace+homogcl"), DATA)


def _clustering(records: list[Record]) -> Table:
    methods = ("raw", "random", "grace", "grace+homogcl")
    return clustering_table(records, read("clustering"), methods, ("photo", "computers"))


TABLES: dict[str, Callable[[list[Record]], Table]] = {
    "foundation": _foundation,
    "epochs": _epochs,
    "foundation-clustering": _clustering,
}
