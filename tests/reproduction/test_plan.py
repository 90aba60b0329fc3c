"""Which trainings the tables ask for: all that is printed, and found where records lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphCell
from reproduction.paper import TABLE_ARTIFACTS
from reproduction.plan import QUICK, SEEDS, Plan
from reproduction.reported import find, read
from reproduction.statistics import statistics_table

ROOT = Path(__file__).parents[2]
TRAINED = [name for name in TABLE_ARTIFACTS if name != "statistics"]


def graph_cells(name: str, *, quick: bool = False) -> list[GraphCell]:
    cells = TABLE_ARTIFACTS[name].cells(quick)
    found = [cell for cell in cells if isinstance(cell, GraphCell)]
    assert len(found) == len(cells)
    return found


@pytest.mark.parametrize("name", TRAINED)
def test_all_that_is_printed_is_run_on_every_seed(name: str) -> None:
    asked = [(cell.spec.data, cell.spec.method) for cell in graph_cells(name)]
    for each in read(name):
        if each.method != "progcl" or name != "arxiv":
            rows = {e.variant for e in read(name) if (e.data, e.method) == (each.data, each.method)}
            count = asked.count((each.data, each.method))
            assert count == len(rows) * SEEDS[each.data]


@pytest.mark.parametrize("name", TRAINED)
def test_every_setting_is_one_that_the_method_has(name: str) -> None:
    for quick in (False, True):
        for cell in (each for each in graph_cells(name, quick=quick) if each.spec.seed == 0):
            assert cell.spec.settings().train.epochs <= (2 if quick else 10**4)


@pytest.mark.parametrize(
    ("name", "method"), [("classification", "grace"), ("ablation", "grace+homogcl")]
)
def test_records_that_are_kept_are_found(name: str, method: str) -> None:
    [cell] = [
        each
        for each in graph_cells(name)
        if (each.spec.method, each.spec.data, each.spec.seed) == (method, "cora", 0)
        and not each.spec.overrides
    ]
    assert cell.path(ROOT / "results").is_file()


def test_other_settings_lie_apart_from_presets() -> None:
    folders = {bool(cell.spec.overrides): cell.folder for cell in graph_cells("ablation")}
    assert folders == {False: "presets", True: "ablation"}
    assert {cell.folder for cell in graph_cells("arxiv")} == {"arxiv"}


def test_arxiv_rows_differ_in_their_negatives() -> None:
    first = [cell.spec for cell in graph_cells("arxiv") if cell.spec.seed == 0]
    settings = [spec.settings().method for spec in first if spec.method == "grace"]
    negatives = {(each["negatives"], each["num_negatives"]) for each in settings}
    assert negatives == {("exact", 2048), *(("sampled", k) for k in (2, 8, 2048))}
    assert [each["recompute"] for each in settings if each["negatives"] == "exact"] == [True]


def test_arxiv_networks_have_three_layers() -> None:
    for cell in (each for each in graph_cells("arxiv") if each.spec.seed == 0):
        settings = cell.spec.settings()
        assert settings.method.get("num_layers", 3) == 3
        assert "arxiv" in settings.source.lower()


def test_quick_cells_are_small_and_of_the_generated_graph() -> None:
    for cell in graph_cells("classification", quick=True):
        usual, spec = resolve(cell.spec.method, "demo"), cell.spec
        assert (spec.data, spec.seed) == ("demo", 0)
        assert spec.settings().train.epochs == min(QUICK["epochs"], usual.train.epochs)


def test_a_method_is_left_out_by_its_name() -> None:
    cells = Plan("arxiv", left_out=("progcl", "grace")).cells(quick=False)
    assert not any("progcl" in cell.label or "grace" in cell.label for cell in cells)


def test_statistics_stand_beside_the_printed_ones(data_root: Path) -> None:
    table = statistics_table(("cora", "photo"))
    shown = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for row, name in zip(shown, ("cora", "photo"), strict=True):
        printed = find(read("statistics"), "", name, "nodes")
        assert printed is not None
        assert str(row["Nodes"]) == row["Nodes, paper"] == printed.printed
        assert 0.8 < float(str(row["Edge homophily"])) < 0.85
    assert (shown[1]["Edges"], shown[1]["Edges, paper"]) == (238_162, "238163")
