"""The tables that README and docs show, by name, made of records and kept measures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from homogcl.errors import UserError
from homogcl.files import write_atomically
from homogcl.report.table import Table, insert_between_markers
from homogcl.report.tables import classification_table, clustering_table, milestone_table
from homogcl.reported import read
from homogcl.results import read_records

DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
FOUNDATION = ("raw", "random", "grace", "grace+homogcl")


def named_table(name: str, results: Path) -> Table:
    """Return the table called `name` from the folder of records `results`."""
    return TABLES[name](results)


def shown_tables(root: Path, names: Iterable[str]) -> dict[str, Table]:
    """Return the tables called `names` of the project in the folder `root`."""
    return {name: named_table(name, root / "results") for name in names}


def insert(path: Path, name: str, table: Table) -> None:
    """Put a table between its markers in a text file."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    write_atomically(path, insert_between_markers(text, name, table).encode())


def _foundation(results: Path) -> Table:
    records = read_records(results / "presets")
    return classification_table(records, read("classification"), FOUNDATION, DATA)


def _foundation_clustering(results: Path) -> Table:
    records = read_records(results / "presets")
    return clustering_table(records, read("clustering"), FOUNDATION[2:], ("photo",))


def _epochs(results: Path) -> Table:
    return milestone_table(read_records(results / "presets"), ("grace", "grace+homogcl"), DATA)


def _released(results: Path) -> Table:
    records = read_records(results / "released")
    return classification_table(records, read("classification"), ("grace+homogcl",), DATA[:1])


def _bench(results: Path) -> Table:
    """Return the kept measures; they lie beside the folder of records."""
    kept = json.loads((results.parent / "benchmarks" / "results.json").read_text("utf-8"))
    rows = [
        (row["measure"], f"{row['value']:.3g}", row["held_to"])
        for part in kept.values()
        for row in part["rows"]
    ]
    return Table(("Measure", "Value", "Held to"), tuple(rows), decimals=2)


TABLES: dict[str, Callable[[Path], Table]] = {
    "foundation": _foundation,
    "foundation-clustering": _foundation_clustering,
    "epochs": _epochs,
    "released": _released,
    "bench": _bench,
}
