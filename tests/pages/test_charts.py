"""Charts draw the numbers that they are given."""

import math
import re
from importlib import resources
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.pages.charts import (
    SaliencyHistogram,
    agreement_chart,
    counts_chart,
    curve_chart,
    round_marks,
)

BINS = SaliencyHistogram(
    np.array([0.0, 0.25, 1.0]), np.array([1, 75]), np.array([9, 25]), np.array([0, 0])
)


def bars(svg: str, kind: str) -> list[dict[str, float]]:
    rects = ElementTree.fromstring(svg).iter("rect")
    keys = ("x", "y", "width", "height")
    return [{k: float(bar.attrib[k]) for k in keys} for bar in rects if bar.attrib["class"] == kind]


def test_shares_are_as_high_as_they_are_large() -> None:
    low, high = bars(agreement_chart(BINS), "same")
    assert high["height"] / low["height"] == pytest.approx(0.75 / 0.1, rel=0.01)
    assert high["width"] / low["width"] == pytest.approx(3.0, rel=0.02)
    assert "69.1 %" in agreement_chart(BINS)  # 76 of 110


def test_counts_rise_by_equal_steps_for_equal_factors() -> None:
    same, different = bars(counts_chart(BINS), "same"), bars(counts_chart(BINS), "different")
    decades = (same[1]["height"] - same[0]["height"]) / math.log10(75)
    assert (different[1]["height"] - different[0]["height"]) / math.log10(25 / 9) == pytest.approx(
        decades, rel=0.01
    )
    assert same[0]["height"] > 0
    assert bars(counts_chart(BINS), "unknown") == []


def test_bars_side_by_side_do_not_overlap() -> None:
    same, different = bars(counts_chart(BINS), "same"), bars(counts_chart(BINS), "different")
    for left, right in zip(same, different, strict=True):
        assert left["x"] + left["width"] <= right["x"]


def test_empty_histogram_has_axes_only() -> None:
    none = np.zeros(2, dtype=np.int64)
    empty = SaliencyHistogram(BINS.bounds, none, none, none)
    for chart in (counts_chart(empty), agreement_chart(empty)):
        assert list(ElementTree.fromstring(chart).iter("rect")) == []


def test_bins_must_match_their_bounds() -> None:
    with pytest.raises(ValueError, match=r"B \+ 1 bounds"):
        SaliencyHistogram(BINS.bounds[:2], BINS.same, BINS.same[:1], BINS.same[:1])


def test_curve_goes_through_its_values_and_breaks_at_gaps() -> None:
    svg = curve_chart("<loss>", [("curve", [4.0, 2.0, math.nan, 0.0])])
    [path] = [p.attrib["d"] for p in ElementTree.fromstring(svg).iter("path")]
    steps = re.findall(r"([ML])([\d.]+) ([\d.]+)", path)
    assert [pen for pen, _, _ in steps] == ["M", "L", "M"]
    x, y = (np.array([float(step[k]) for step in steps]) for k in (1, 2))
    assert (x[1] - x[0]) * 2 == pytest.approx(x[2] - x[1], abs=0.2)
    assert y[1] - y[0] == pytest.approx(y[2] - y[1], abs=0.2)
    assert y[1] > y[0]  # down on the screen


@pytest.mark.parametrize("values", [[], [1.0], [0.0, 0.0], [math.inf, math.nan]])
def test_curve_of_almost_nothing_is_still_a_chart(values: list[float]) -> None:
    ElementTree.fromstring(curve_chart("term", [("curve", values)]))


def test_curves_of_one_chart_share_its_axes() -> None:
    svg = curve_chart("term", [("curve c0", [1.0, 3.0]), ("curve c1", [3.0, 1.0, 1.0])])
    paths = {p.attrib["class"]: p.attrib["d"] for p in ElementTree.fromstring(svg).iter("path")}
    first, second = (re.findall(r"[ML]([\d.]+) ([\d.]+)", paths[f"curve c{k}"]) for k in (0, 1))
    (x1, low), (x2, high) = first
    assert second == [(x1, high), (x2, low), (second[2][0], low)]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_marks_are_few_round_and_enclose(low: float, span: float) -> None:
    marks = round_marks(low, low + span)
    slack = 1e-6 * span
    assert marks[0] <= low + slack
    assert marks[-1] >= low + span - slack
    assert 2 <= len(marks) <= 8
    step = marks[1] - marks[0]
    digits = f"{step:.3e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in {"1", "2", "2.5", "5"}


# How each kind of color vision sees linear red, green and blue (Machado et al., 2009).
VISION = {
    "normal": np.eye(3),
    "no red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no blue": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_XYZ = np.array([[0.4339, 0.3763, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]])


def lab(color: str, vision: str) -> np.ndarray:
    srgb = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(VISION[vision]) @ linear, 0, 1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_colors_of_groups_stay_apart(vision: str, dark: bool) -> None:
    style = resources.files("homogcl.pages").joinpath("page.css").read_text("utf-8")
    part = style.split("prefers-color-scheme: dark")[dark]
    colors = re.findall(r"--c\d: (#[0-9a-f]{6})", part)
    assert len(colors) == 8
    shades = [lab(color, vision) for color in colors]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(shades, 2)) > 20
