"""Which trainings the tables ask for: all that is printed, and found where records lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.presets.resolve import resolve
from homogcl.runs.record import cell_path
from homogcl.runs.request import recorded_settings
from reproduction.artifact import GraphTraining
from reproduction.paper.tables import TABLE_ARTIFACTS
from reproduction.plan import QUICK, SEEDS, Plan
from reproduction.reported import find, read
from reproduction.paper.datasets import statistics_table

ROOT = Path(__file__).parents[2]
TRAINED = [name for name in TABLE_ARTIFACTS if name != "statistics"]


def graph_cells(name: str, *, quick: bool = False) -> list[GraphTraining]:
    trainings = TABLE_ARTIFACTS[name].trainings(quick)
    found = [training for training in trainings if isinstance(training, GraphTraining)]
    assert len(found) == len(trainings)
    return found


@pytest.mark.parametrize("name", TRAINED)
def test_all_that_is_printed_is_run_on_every_seed(name: str) -> None:
    asked = [(training.spec.data, training.spec.method) for training in graph_cells(name)]
    for each in read(name):
        if each.method != "progcl" or name != "arxiv":
            rows = {e.variant for e in read(name) if (e.data, e.method) == (each.data, each.method)}
            count = asked.count((each.data, each.method))
            assert count == len(rows) * SEEDS[each.data]


@pytest.mark.parametrize("name", TRAINED)
def test_every_setting_is_one_that_the_method_has(name: str) -> None:
    for quick in (False, True):
        for training in (each for each in graph_cells(name, quick=quick) if each.spec.seed == 0):
            assert training.spec.settings().train.epochs <= (2 if quick else 10**4)


@pytest.mark.parametrize(
    ("name", "method"), [("classification", "grace"), ("ablation", "grace+homogcl")]
)
def test_records_that_are_kept_are_found(name: str, method: str) -> None:
    [training] = [
        each
        for each in graph_cells(name)
        if (each.spec.method, each.spec.data, each.spec.seed) == (method, "cora", 0)
        and not each.spec.overrides
    ]
    spec = training.spec
    place = {"data": spec.name, "method": spec.method, "seed": spec.seed}
    folder = ROOT / "results" / training.folder
    assert cell_path(folder, settings=recorded_settings(spec), **place).is_file()  # type: ignore[arg-type]


def test_other_settings_lie_apart_from_presets() -> None:
    folders = {bool(training.spec.overrides): training.folder for training in graph_cells("ablation")}
    assert folders == {False: "presets", True: "ablation"}
    assert {training.folder for training in graph_cells("arxiv")} == {"arxiv"}


def test_arxiv_rows_differ_in_their_negatives() -> None:
    first = [training.spec for training in graph_cells("arxiv") if training.spec.seed == 0]
    settings = [spec.settings().method for spec in first if spec.method == "grace"]
    negatives = {(each["negatives"], each["num_negatives"]) for each in settings}
    assert negatives == {("exact", 2048), *(("sampled", k) for k in (2, 8, 2048))}
    assert [each["recompute"] for each in settings if each["negatives"] == "exact"] == [True]


def test_arxiv_networks_have_three_layers() -> None:
    for training in (each for each in graph_cells("arxiv") if each.spec.seed == 0):
        settings = training.spec.settings()
        assert settings.method.get("num_layers", 3) == 3
        assert "arxiv" in settings.source.lower()


def test_quick_cells_are_small_and_of_the_generated_graph() -> None:
    for training in graph_cells("classification", quick=True):
        usual, spec = resolve(training.spec.method, "demo"), training.spec
        assert (spec.data, spec.seed) == ("demo", 0)
        assert spec.settings().train.epochs == min(QUICK["epochs"], usual.train.epochs)


def test_a_method_is_left_out_by_its_name() -> None:
    trainings = Plan("arxiv", left_out=("progcl", "grace")).trainings(quick=False)
    assert not any("progcl" in training.label or "grace" in training.label for training in trainings)


def test_statistics_stand_beside_the_printed_ones(data_root: Path) -> None:
    table = statistics_table(("cora", "photo"))
    shown = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for row, name in zip(shown, ("cora", "photo"), strict=True):
        printed = find(read("statistics"), "", name, "nodes")
        assert printed is not None
        assert str(row["Nodes"]) == row["Nodes, paper"] == printed.printed
        assert 0.8 < float(str(row["Edge homophily"])) < 0.85
    assert (shown[1]["Edges"], shown[1]["Edges, paper"]) == (238_162, "238163")
