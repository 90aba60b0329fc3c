"""The table of the default's settings, and its trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.runs.record import Summary
from reproduction.development import METRIC
from reproduction.study.form import FORM, form_table
from tests.records import make_record


def test_rows_are_methods_and_changes_of_the_default() -> None:
    table = form_table(
        [
            make_record(metrics={METRIC: 0.8}, method="homogcl", data="cora", settings={}),
            make_record(metrics={METRIC: 0.6}, method="homogcl", data="cora", settings={}, seed=1),
            make_record(
                metrics={METRIC: 0.5},
                method="homogcl",
                data="photo",
                settings={"method": {"sharpness": 0.0}},
            ),
            make_record(metrics={METRIC: 0.4}, method="raw", data="photo", settings={}),
        ]
    )
    assert table.columns == ("Method", "cora", "photo")
    assert [row[0] for row in table.rows] == ["homogcl", "homogcl, sharpness=0.0", "raw"]
    cell = table.rows[0][1]
    assert isinstance(cell, Summary)
    assert cell.mean == pytest.approx(70)
    assert table.rows[0][2] is None


def test_trainings_differ_in_place() -> None:
    trainings = FORM.trainings(False)
    assert len({training.path(Path("results")) for training in trainings}) == len(trainings)


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in FORM.trainings(True):
        training.run(tmp_path)
    FORM.write(tmp_path, tmp_path / "out", True)
    assert "rich_weight=0" in (tmp_path / "out" / "form.md").read_text("utf-8")
