"""How figures become files."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.evaluate.significance import Difference
from homogcl.pages.table import Gain
from homogcl.runs.record import Summary
from reproduction.catalog import FIGURES
from reproduction.figures.drawing import (
    bars,
    explained,
    mark_points,
    spread_apart,
    standard_error,
)


def test_figures_say_which_package_they_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match="pip install matplotlib"):
        FIGURES["pipeline"].write(tmp_path, tmp_path, True)


def test_a_label_explains_the_signs_of_its_figure() -> None:
    assert explained("accuracy", "") == "accuracy"
    assert explained("accuracy", "††") == "accuracy\n† former probe"
    assert explained("accuracy", "‡†") == "accuracy\n† former probe\n‡ no better than untrained"


def test_points_of_the_former_probe_have_its_sign() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    mark_points(axes, [1.0, 2.0], [3.0, 4.0], ["", "†"])
    assert [(text.get_text(), text.xy) for text in axes.texts] == [("†", (2.0, 4.0))]


def test_bars_of_the_former_probe_have_its_sign() -> None:
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    groups = {"cora": {"a": Summary(0.5, None, 1, "†"), "b": Summary(0.6, 0.1, 2)}}
    bars(axes, groups, {"a": "red", "b": "blue"})
    assert [text.get_text() for text in axes.texts] == ["50.0†", "60.0"]
    assert axes.get_ylabel() == "test accuracy (%)\n† former probe"


def test_the_standard_error_is_that_of_the_mean() -> None:
    assert standard_error(Gain(Difference(1.0, 3.0, 9))) == 1.0
    assert standard_error(Gain(Difference(1.0, None, 1))) == 0.0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(0.01, 0.5))
def test_labels_stand_apart_in_their_order(heights: list[float], gap: float) -> None:
    moved = spread_apart(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    steps = [moved[b] - moved[a] for a, b in itertools.pairwise(order)]
    assert all(step >= gap - 1e-9 for step in steps)
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-9)
