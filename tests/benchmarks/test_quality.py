"""Accuracy over seconds: curves, what is read from them, and their picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import quality


@pytest.mark.parametrize(
    ("name", "way", "steps"),
    [("grace", "ours", [0, 1, 2, 3]), ("grace+adaptive", "usual", [0, 1, 2, 3])],
)
def test_a_training_is_checked_as_it_goes(name: str, way: str, steps: list[int]) -> None:
    taken = quality.accuracy_over_seconds(name, "demo", way, 3)
    assert [taken[f"accuracy {at}"] > 0 for at in steps] == [True] * 4
    seconds = [taken[f"seconds {at}"] for at in steps]
    assert seconds == sorted(seconds)
    assert len(taken) == 8


def test_what_has_no_steps_is_checked_once() -> None:
    taken = quality.accuracy_over_seconds("propagation", "demo")
    assert set(taken) == {"seconds 0", "accuracy 0"}
    assert taken["seconds 0"] > 0


def curves(name: str, data: str, way: str = "ours", most: int = 0) -> quality.Curve:
    if name == "propagation":
        return [(0, 0.1, 0.7)]
    slower = 10.0 if way == "usual" else 1.0
    return [(0, 0.0, 0.5), (10, 1.0 * slower, 0.799), (20, 2.0 * slower, 0.8)]


def test_rows_tell_when_a_method_is_about_as_good_as_it_gets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(quality, "curve", curves)
    monkeypatch.setattr(quality, "draw", drawn.append)
    rows = {what: value for what, value, _ in quality.quality()}
    assert rows["photo, bgrl: seconds to it"] == 1.0
    assert rows["photo, bgrl: seconds to its own best, usual"] == 10.0
    assert "photo, grace: seconds to its own best in 10 steps, usual" in rows
    assert "cora, grace: seconds to its own best, usual" in rows
    assert rows["cora, propagation: best (%)"] == 70
    assert "pubmed, grace: seconds to its own best, usual" not in rows
    assert len(drawn) == 1


def test_budget_has_its_minutes_and_its_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(quality, "curve", curves)
    monkeypatch.setattr(quality, "draw_steps", drawn.append)
    minutes, *points = quality.budget()
    assert drawn == [{0: 0.5, 10: 0.799, 20: 0.8}]
    assert minutes == ("minutes of 10,000 steps", 2 / 60, "at most 25")
    assert points[-1] == ("step 20: validation (%)", 80, "")


def test_a_curve_is_read_from_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = {"seconds 0": 0.0, "accuracy 0": 0.5, "seconds 10": 1.0, "accuracy 10": 0.75}
    monkeypatch.setattr(quality, "measure", lambda *_: taken)
    assert quality.curve("grace", "cora") == [(0, 0.0, 0.5), (10, 1.0, 0.75)]


def test_a_picture_of_steps_is_drawn(tmp_path: Path) -> None:
    quality.draw_steps({0: 0.5, 10: 0.8}, tmp_path / "new" / "steps.svg")
    assert "<svg" in (tmp_path / "new" / "steps.svg").read_text("utf-8")


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    of_graph = {
        name: curves(name.partition(",")[0], "cora")
        for name in ("propagation", "grace", "grace, usual")
    }
    quality.draw({"cora": of_graph}, tmp_path / "picture.svg")
    assert "<svg" in (tmp_path / "picture.svg").read_text("utf-8")
