"""The style of figures, and their files: the same records give the same bytes."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.pages.table import LEGEND, Gain
from homogcl.runs.record import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colors, which color-blind readers can distinguish.
BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY, YELLOW, BLACK = "#e69f00", "#56b4e9", "#f0e442", "#000000"
GRAY = "#767676"
CLASSES = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, BLACK, YELLOW, GRAY)

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
}
_DPI = 200


def draw(
    out: Path, name: str, size: tuple[float, float], paint: Callable[[Figure], None]
) -> list[Path]:
    """Write a figure as PNG and as SVG and return the files.

    Args:
        out: The folder of the files.
        name: Name of the files, without suffix.
        size: Width and height in inches.
        paint: Draws into the empty figure.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError("figures need matplotlib: pip install matplotlib") from None
    # The salt and the empty metadata keep random ids, dates and versions out of the files.
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=size, layout="constrained")
        paint(figure)
        return [
            _save(figure, out / f"{name}.png", {"Software": None}),
            _save(figure, out / f"{name}.svg", {"Date": None, "Creator": None}),
        ]


def _save(figure: Figure, path: Path, metadata: dict[str, None]) -> Path:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix[1:], dpi=_DPI, metadata=metadata)
    return write_atomically(path, buffer.getvalue())


def bars(
    axes: Axes, groups: Mapping[str, Mapping[str, Summary]], colors: Mapping[str, str]
) -> None:
    """Draw percentages as grouped bars, with values above and standard deviations.

    Args:
        axes: Where to draw.
        groups: The bars of each group, as fractions, by the names of group and bar.
        colors: Colors of the bars, by name.
    """
    names = list(dict.fromkeys(bar for group in groups.values() for bar in group))
    width = 0.84 / len(names)
    for place, bar in enumerate(names):
        holders = [(at, group[bar]) for at, group in enumerate(groups.values()) if bar in group]
        x = [at + (place - (len(names) - 1) / 2) * width for at, _ in holders]
        means = [100 * summary.mean for _, summary in holders]
        spread = [100 * (summary.std or 0.0) for _, summary in holders]
        axes.bar(x, means, 0.92 * width, color=colors[bar], label=bar)
        axes.errorbar(x, means, spread, fmt="none", ecolor=BLACK, elinewidth=1, capsize=2)
        for left, mean, std, (_, summary) in zip(x, means, spread, holders, strict=True):
            above = (0, 3)
            axes.annotate(
                f"{mean:.1f}{summary.mark}",
                (left, mean + std),
                above,
                textcoords="offset points",
                ha="center",
                fontsize=7.5,
            )
    axes.set_xticks(range(len(groups)), list(groups))
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 104)
    marks = "".join(summary.mark for group in groups.values() for summary in group.values())
    axes.set_ylabel(explained("test accuracy (%)", marks))
    axes.grid(axis="y", alpha=0.3)


def mark_points(axes: Axes, x: Sequence[float], y: Sequence[float], marks: Sequence[str]) -> None:
    """Write the signs of points, such as that of the former probe, beside them."""
    for left, height, mark in zip(x, y, marks, strict=True):
        if mark:
            axes.annotate(mark, (left, height), (3, 2), textcoords="offset points", fontsize=6)


def explained(label: str, marks: str) -> str:
    """Return the label of an axis with the meaning of the signs in its figure."""
    signs = [f"{sign} {words}" for sign, (words, _) in LEGEND.items() if sign in marks]
    return "\n".join([label, *signs])


def standard_error(gain: Gain) -> float:
    """Return the standard error of the mean of paired gains, zero for a single one."""
    return (gain.difference.std or 0.0) / math.sqrt(gain.difference.n)


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return heights near `heights`, in the same order, at least `gap` apart.

    Heights that are too close move as a block around their mean, so that labels stay near lines.

    >>> apart([1.0, 0.0, 1.0], 0.2)
    [0.9, 0.0, 1.1]
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    blocks: list[tuple[float, list[int]]] = []  # the middle, and the members from below
    for index in order:
        middle, members = heights[index], [index]
        while blocks and middle - blocks[-1][0] < gap * (len(members) + len(blocks[-1][1])) / 2:
            _, below = blocks.pop()
            members = [*below, *members]
            middle = float(np.mean([heights[i] for i in members]))
        blocks.append((middle, members))
    moved = list(heights)
    for middle, members in blocks:
        for place, index in enumerate(members):
            moved[index] = middle + gap * (place - (len(members) - 1) / 2)
    return moved
