"""How figures become files."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from reproduction.catalog import FIGURES
from reproduction.figures.drawing import spread_apart


def test_figures_say_which_package_they_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match="pip install matplotlib"):
        FIGURES["pipeline"].write(tmp_path, tmp_path, True)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(0.01, 0.5))
def test_labels_stand_apart_in_their_order(heights: list[float], gap: float) -> None:
    moved = spread_apart(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    steps = [moved[b] - moved[a] for a, b in itertools.pairwise(order)]
    assert all(step >= gap - 1e-9 for step in steps)
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-9)
