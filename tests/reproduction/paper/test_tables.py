"""The paper's tables from records, and the trainings that they need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from homogcl.pages.table import Table, to_markdown
from homogcl.runs.record import Record, write_record
from reproduction.artifact import GraphTraining
from reproduction.paper.tables import PAPER_TABLES, ablation, arxiv
from reproduction.plan import SEEDS
from reproduction.reported import numbers
from reproduction.reported.numbers import read
from tests.records import make_record

ROOT = Path(__file__).parents[3]
TRAINED = [name for name in PAPER_TABLES if name != "statistics"]


def run(
    method: str,
    seed: int,
    accuracy: float,
    settings: Mapping[str, JsonValue] | None = None,
    data: str = "arxiv",
) -> Record:
    dumped: dict[str, JsonValue] = {
        "method": dict(settings or {}),
        "train": {"epochs": 7},
        "data": {"features": "structural"},
    }
    metrics = {"test_accuracy": accuracy, "val_accuracy": accuracy + 0.1}
    return make_record(dumped, method=method, data=data, seed=seed, metrics=metrics)


def rows(table: Table) -> list[list[str]]:
    lines = to_markdown(table).splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_arxiv_tells_numbers_of_negatives_apart(tmp_path: Path) -> None:
    exact: dict[str, JsonValue] = {"negatives": "exact", "num_negatives": 2048}
    write_record(tmp_path / "arxiv", run("grace", 0, 0.4, exact))
    for k in (2, 8):
        drawn: dict[str, JsonValue] = {"negatives": "sampled", "num_negatives": k}
        write_record(tmp_path / "arxiv", run("grace", 0, 0.5 + k / 100, drawn))
    shown = {(row[1], row[2]): row[5:] for row in rows(arxiv(tmp_path))}
    lost = "out of memory"
    assert shown["grace", "–"] == ["50.00 (1)", lost, "–", "40.00 (1)", lost, "–"]
    assert shown["grace", "subsampling k=8"][3:] == ["58.00 (1)", "70.33 ± 0.18", "-12.33"]
    assert shown["bgrl", "–"] == ["–", "72.53 ± 0.09", "–", "–", "71.64 ± 0.12", "–"]
    assert len(shown) == 14


def test_ablation_takes_presets_and_what_differs_from_them(tmp_path: Path) -> None:
    write_record(
        tmp_path / "presets", run("grace+homogcl", 0, 0.8, {"homophily_weight": 1.0}, "cora")
    )
    write_record(tmp_path / "presets", run("bgrl", 0, 0.8, data="cora"))
    assert len(rows(ablation(tmp_path))) == 4
    write_record(
        tmp_path / "ablation", run("grace+homogcl", 0, 0.7, {"homophily_weight": 0.0}, "cora")
    )
    write_record(tmp_path / "ablation", run("grace", 0, 0.6, data="cora"))
    shown = {(row[1], row[2]): row[5:] for row in rows(ablation(tmp_path))}
    assert shown["grace+homogcl", "–"][0] == "80.00 (1)"
    without = numbers.find(
        numbers.read("ablation"),
        "grace+homogcl",
        "cora",
        "test_accuracy",
        "without homophily loss",
    )
    assert without is not None
    assert without.value is not None
    difference = f"{70 - without.value:+.2f}"
    cells = ["70.00 (1)", without.printed, difference, "+10.00 (1)"]
    assert shown["grace+homogcl", "without homophily loss"] == cells
    assert list(shown)[-1] == ("grace", "–")


def graph_trainings(name: str, *, quick: bool = False) -> list[GraphTraining]:
    trainings = PAPER_TABLES[name].trainings(quick)
    result = [training for training in trainings if isinstance(training, GraphTraining)]
    assert len(result) == len(trainings)
    return result


@pytest.mark.parametrize("name", TRAINED)
def test_all_that_is_printed_is_run_on_every_seed(name: str) -> None:
    asked = [(training.spec.data, training.spec.method) for training in graph_trainings(name)]
    for each in read(name):
        if each.method != "progcl" or name != "arxiv":
            rows = {e.variant for e in read(name) if (e.data, e.method) == (each.data, each.method)}
            count = asked.count((each.data, each.method))
            assert count == len(rows) * SEEDS[each.data]


@pytest.mark.parametrize("name", TRAINED)
def test_every_setting_is_one_that_the_method_has(name: str) -> None:
    for quick in (False, True):
        for training in (
            each for each in graph_trainings(name, quick=quick) if each.spec.seed == 0
        ):
            assert training.spec.settings().train.epochs <= (2 if quick else 10**4)


@pytest.mark.parametrize(
    ("name", "method"), [("classification", "grace"), ("ablation", "grace+homogcl")]
)
def test_records_that_are_kept_are_found(name: str, method: str) -> None:
    [training] = [
        each
        for each in graph_trainings(name)
        if (each.spec.method, each.spec.data, each.spec.seed) == (method, "cora", 0)
        and not each.spec.overrides
    ]
    run = training.spec.resolve(by_size=False)
    assert run.record_path(ROOT / "results" / training.folder).is_file()


def test_other_settings_lie_apart_from_presets() -> None:
    folders = {
        bool(training.spec.overrides): training.folder for training in graph_trainings("ablation")
    }
    assert folders == {False: "presets", True: "ablation"}
    assert {training.folder for training in graph_trainings("arxiv")} == {"arxiv"}


def test_arxiv_rows_differ_in_their_negatives() -> None:
    first = [training.spec for training in graph_trainings("arxiv") if training.spec.seed == 0]
    settings = [spec.settings().method for spec in first if spec.method == "grace"]
    negatives = {(each["negatives"], each["num_negatives"]) for each in settings}
    assert negatives == {("exact", 2048), *(("sampled", k) for k in (2, 8, 2048))}
    assert [each["recompute"] for each in settings if each["negatives"] == "exact"] == [True]


def test_arxiv_networks_have_three_layers() -> None:
    for training in (each for each in graph_trainings("arxiv") if each.spec.seed == 0):
        settings = training.spec.settings()
        assert settings.method.get("num_layers", 3) == 3
        assert settings.data.features == "structural"
        if training.spec.method not in ("raw", "propagation"):
            assert "arxiv" in settings.source.lower()
