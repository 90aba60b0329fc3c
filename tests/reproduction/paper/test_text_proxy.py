"""Rows on the text proxy: compared with each other, never with printed ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homogcl.pages.table import NO_BETTER
from homogcl.runs.record import Record, Summary
from reproduction.artifact import GraphTraining
from reproduction.paper.text_proxy import FILE, SETTINGS, TEXT_PROXY, text_proxy_table
from tests.records import make_record

DATA = "arxiv+node-feat"


def run(method: str, accuracy: float) -> Record:
    metrics = {"val_accuracy": accuracy + 0.01, "test_accuracy": accuracy}
    return make_record(method=method, data=DATA, metrics=metrics)


def test_rows_are_those_of_records_and_are_held_to_untrained_ones() -> None:
    table = text_proxy_table([run("homogcl", 0.6), run("raw", 0.5), run("propagation", 0.7)])
    assert [row[0] for row in table.rows] == ["raw", "propagation", "homogcl"]
    homogcl = table.rows[-1][3]
    assert isinstance(homogcl, Summary)
    assert homogcl.mean == pytest.approx(60)
    assert NO_BETTER in homogcl.mark
    assert "text proxy" in table.notes[0]
    assert not any("paper" in column for column in table.columns)


def test_trainings_take_the_file_below_the_data_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path))
    assert TEXT_PROXY.trainings(False) == []
    (tmp_path / FILE).parent.mkdir(parents=True)
    np.savez(tmp_path / FILE, x=np.zeros((2, 2)))
    trainings = TEXT_PROXY.trainings(False)
    assert len(trainings) == len(SETTINGS)
    for training in trainings:
        assert isinstance(training, GraphTraining)
        assert training.spec.name == DATA
        assert training.spec.settings().data.features == "auto"
    assert len(TEXT_PROXY.trainings(True)) == len(SETTINGS)
