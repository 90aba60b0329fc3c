"""The table of data sets."""

from __future__ import annotations

from pathlib import Path

from reproduction.paper.datasets import datasets_table
from reproduction.reported.numbers import find, read


def test_statistics_stand_beside_the_printed_ones(data_root: Path) -> None:
    table = datasets_table(("cora", "photo"))
    shown = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for row, name in zip(shown, ("cora", "photo"), strict=True):
        printed = find(read("statistics"), "", name, "nodes")
        assert printed is not None
        assert str(row["Nodes"]) == row["Nodes, paper"] == printed.printed
        assert 0.8 < float(str(row["Edge homophily"])) < 0.85
    assert (shown[1]["Edges"], shown[1]["Edges, paper"]) == (238_162, "238163")
