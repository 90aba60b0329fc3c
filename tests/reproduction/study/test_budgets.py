"""Two budgets of labels side by side."""

from __future__ import annotations

from pydantic import JsonValue

from homogcl.pages.table import to_markdown
from homogcl.runs.record import Record
from reproduction.artifact import GraphTraining
from reproduction.study.budgets import BUDGETS, METHODS, SEEDS, TASKS, budgets_table
from tests.records import make_record


def run(method: str, seed: int, tenth: float, fifth: float) -> Record:
    metrics = {
        "splits_test_accuracy": tenth,
        "splits_test_accuracy_std": 0.01 * (seed + 1),
        "splits_refit_test_accuracy": fifth,
        "splits_refit_test_accuracy_std": 0.02,
    }
    settings: dict[str, JsonValue] = {"train": {"epochs": 0}}
    return make_record(settings, method=method, data="photo", seed=seed, metrics=metrics)


def test_a_row_has_both_budgets_and_the_spread_over_splits() -> None:
    records = [run("homogcl", 0, 0.90, 0.95), run("homogcl", 1, 0.92, 0.95)]
    lines = to_markdown(budgets_table([*records, run("raw", 0, 0.8, 0.96)])).splitlines()
    assert lines[2] == "| photo | raw | 0 | 1 | 80.00 ± 1.00 (1) | 96.00 ± 2.00 (1) |"
    assert lines[3] == "| photo | homogcl | 0 | 2 | 91.00 ± 1.50 (2) | 95.00 ± 2.00 (2) ‡ |"


def test_every_run_is_scored_over_splits() -> None:
    trainings = BUDGETS.trainings(False)
    assert len(trainings) == len(METHODS) * sum(SEEDS.values())
    assert all(isinstance(each, GraphTraining) and each.spec.tasks == TASKS for each in trainings)
    assert len(BUDGETS.trainings(True)) == 1
