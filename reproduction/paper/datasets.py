"""The paper's table of data sets, with counts from the files."""

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

    Edges count in both directions, without self-loops and repetitions. The paper's counts come from
    libraries that keep some of these, and on arXiv count one direction.
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
