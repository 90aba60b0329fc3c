"""The paper's table of data sets, counted in the files."""

from __future__ import annotations

from collections.abc import Sequence

from torch_geometric.data import Data

from homogcl.data.load import load
from homogcl.data.summary import summarize
from homogcl.pages.table import Cell, Table
from reproduction.reported.numbers import find, read

DATA = ("cora", "citeseer", "pubmed", "photo", "computers", "arxiv")
COUNTED = ("nodes", "edges", "features", "classes")


def datasets_table(data: Sequence[str]) -> Table:
    """Return sizes beside the paper's, and edge homophily, which it does not print.

    Edges count both directions, without self-loops and repetitions; the paper's counts are those of
    other libraries, which keep some of them, and on arXiv of one direction.
    """
    columns = [f"{what.capitalize()}{paper}" for what in COUNTED for paper in ("", ", paper")]
    rows = tuple((name, *_counts(name, load(name))) for name in data)
    return Table(("Data set", *columns, "Edge homophily"), rows, decimals=4)


def _counts(name: str, graph: Data) -> list[Cell]:
    summary = summarize(graph)
    sizes = {**vars(summary), "edges": 2 * summary.edges}  # both directions
    printed = read("statistics")
    cells: list[Cell] = []
    for what in COUNTED:
        count: int = sizes[what]
        structural = what == "features" and bool(graph.get("structural"))
        paper = find(printed, "", name, what)
        cells += [f"{count} structural" if structural else count, paper.printed if paper else None]
    return [*cells, summary.homophily]
