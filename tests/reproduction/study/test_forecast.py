"""Estimated over actual time; no test asks how long anything takes."""

from __future__ import annotations

import pytest

from homogcl.advice.estimate import Estimate
from homogcl.runs.request import Request
from homogcl.runs.train import fit_run
from reproduction.study.forecast import ACTUAL, ESTIMATED, FORECAST, forecast_table, times
from tests.records import make_record


def test_the_times_are_of_all_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Request("grace", "demo", 0, {"hidden_dim": 8, "out_dim": 4, "epochs": 9}).resolve()
    monkeypatch.setattr(
        "reproduction.study.forecast.estimate", lambda *arguments: Estimate(12.0, 1)
    )
    monkeypatch.setattr("reproduction.study.forecast.fmean", lambda values: float(len(values)))
    assert times(run, fit_run(run.of_length(1))) == {ACTUAL: 45.0, ESTIMATED: 12.0}


def test_a_row_has_the_ratios_of_a_data_set() -> None:
    metrics = {ACTUAL: 10.0, ESTIMATED: 12.0}
    table = forecast_table([make_record(method="bgrl", data="cora", seed=0, metrics=metrics)])
    assert table.rows == (("cora", None, "1.20", None),)


def test_each_method_is_timed_on_each_data_set() -> None:
    assert len({training.label for training in FORECAST.trainings(False)}) == 15
