"""Small charts as SVG text: bars of a histogram and curves of a training.

Colors and fonts come from the style sheet of the page that holds them; every string is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]

_WIDTH, _HEIGHT = 520.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 12.0, 38.0


class EdgeKind(NamedTuple):
    """Edges of one kind: its class in the style sheet, its meaning, and counts by bin, [B]."""

    name: str
    meaning: str
    counts: Integers


@dataclass(frozen=True)
class SaliencyHistogram:
    """Edges by their saliency, each edge counted once, split by what the labels say."""

    bounds: Floats  # rising limits of the bins, [B + 1]
    same: Integers  # edges between nodes of one class, [B]
    different: Integers  # edges between nodes of two classes, [B]
    unknown: Integers  # edges with an end that has no label, [B]

    def __post_init__(self) -> None:
        bins = len(self.bounds) - 1
        if bins < 1 or {x.shape for x in (self.same, self.different, self.unknown)} != {(bins,)}:
            raise ValueError("a histogram needs B + 1 bounds and B counts of each kind")

    @property
    def labeled(self) -> Integers:
        """Edges with a label at both ends, [B]."""
        return self.same + self.different

    def kinds(self) -> list[EdgeKind]:
        """Return the kinds of edges that there are."""
        kinds = [
            EdgeKind("same", "one class", self.same),
            EdgeKind("different", "two classes", self.different),
            EdgeKind("unknown", "no label", self.unknown),
        ]
        return [kind for kind in kinds if kind.counts.any()]

    @property
    def total(self) -> Integers:
        """All edges, [B]."""
        return self.labeled + self.unknown


@dataclass(frozen=True)
class _Axis:
    """The values that an axis spans, and its marks with what is written beside them."""

    low: float
    high: float
    marks: Sequence[tuple[float, str]]

    def part(self, value: float) -> float:
        """Return how far along the axis `value` lies, 0 at its low end and 1 at its high end."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class _Frame:
    """Where values lie in a chart."""

    across: _Axis
    upward: _Axis

    def x(self, value: float) -> float:
        return _LEFT + self.across.part(value) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - self.upward.part(value) * (_HEIGHT - _TOP - _BOTTOM)

    def level(self, value: float, kind: str) -> str:
        """Return a horizontal line at `value`."""
        y = f"{self.y(value):.1f}"
        ends = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"'
        return f'<line class="{kind}" {ends}/>'

    def axes(self, label: str) -> list[str]:
        """Return the marks of both axes, and a label below the horizontal one."""
        parts = []
        for value, mark in self.upward.marks:
            parts.append(self.level(value, "grid"))
            parts.append(_text(_LEFT - 6, self.y(value) + 4, "end", mark))
        below = _HEIGHT - _BOTTOM + 15
        parts += [_text(self.x(value), below, "middle", mark) for value, mark in self.across.marks]
        return [*parts, _text((_LEFT + _WIDTH - _RIGHT) / 2, below + 17, "middle", label)]

    def bar(self, ends: tuple[float, float], height: float, kind: str, hint: str) -> str:
        """Return a bar from the bottom up to `height`, between two values of the lower axis."""
        left, right, top = self.x(ends[0]), self.x(ends[1]), self.y(height)
        box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left - 1:.1f}"'
        tall = _HEIGHT - _BOTTOM - top
        hidden = f"<title>{html.escape(hint)}</title>"
        return f'<rect class="{kind}" {box} height="{tall:.1f}">{hidden}</rect>'

    def path(self, values: Sequence[float], kind: str) -> str:
        """Return a curve through `values` at 1, 2, ..., with a gap where one is not finite."""
        pen, steps = "M", []
        for place, value in enumerate(values, 1):
            if not math.isfinite(value):
                pen = "M"
                continue
            steps.append(f"{pen}{self.x(place):.1f} {self.y(value):.1f}")
            pen = "L"
        return f'<path class="{kind}" d="{"".join(steps)}"/>'


def counts_chart(bins: SaliencyHistogram) -> str:
    """Return the number of edges in each bin, by label agreement, on a logarithmic axis."""
    tens = range(math.ceil(math.log10(max(int(bins.total.max()), 1) + 1)) + 1)
    # A single edge must show, so that the axis begins at a half.
    floor = math.log10(0.5)
    frame = _Frame(_saliency(bins), _Axis(floor, tens[-1], [(t, f"{10**t:,}") for t in tens]))
    kinds = bins.kinds()
    parts = frame.axes("saliency of the edge")
    for b, (low, high) in enumerate(_ranges(bins)):
        width = (high - low) / max(len(kinds), 1)
        for place, kind in enumerate(kinds):
            if count := int(kind.counts[b]):
                ends = (low + place * width, low + (place + 1) * width)
                hint = f"saliency from {low:.2f} to {high:.2f}: {count:,} edges, {kind.meaning}"
                parts.append(frame.bar(ends, math.log10(count), kind.name, hint))
    return _svg(parts, "Number of edges by saliency")


def agreement_chart(bins: SaliencyHistogram) -> str:
    """Return the share of edges within one class in each bin, beside that of all edges."""
    shares = [(part / 4, f"{25 * part} %") for part in range(5)]
    frame = _Frame(_saliency(bins), _Axis(0.0, 1.0, shares))
    parts = frame.axes("saliency of the edge")
    for b, (low, high) in enumerate(_ranges(bins)):
        if labeled := int(bins.labeled[b]):
            share = int(bins.same[b]) / labeled
            hint = (
                f"saliency from {low:.2f} to {high:.2f}: {100 * share:.1f} % of {labeled:,} edges"
            )
            parts.append(frame.bar((low, high), share, "same", hint))
    if labeled := int(bins.labeled.sum()):
        overall = int(bins.same.sum()) / labeled
        parts.append(frame.level(overall, "mean"))
        tag = f"all edges: {100 * overall:.1f} %"
        parts.append(_text(_LEFT + 4, frame.y(overall) - 5, "start", tag, "tag"))
    return _svg(parts, "Share of edges within one class by saliency")


def curve_chart(name: str, curves: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Return a term of the loss by epoch; epochs without a finite value leave a gap.

    A curve has its class in the style sheet and its values, one per epoch.
    """
    values = [value for _, curve in curves for value in curve]
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    last = float(max([2, *(len(curve) for _, curve in curves)]))
    epochs = [x for x in round_marks(1.0, last) if 1.0 <= x <= last and x.is_integer()]
    across = _Axis(1.0, last, [(x, f"{x:g}") for x in epochs])
    levels = round_marks(min(finite), max(finite))
    frame = _Frame(across, _Axis(levels[0], levels[-1], [(y, f"{y:.6g}") for y in levels]))
    paths = [frame.path(curve, kind) for kind, curve in curves]
    return _svg([*frame.axes("epoch"), *paths], f"{name} by epoch")


def round_marks(low: float, high: float) -> list[float]:
    """Return four to seven equally spaced round numbers of which the ends enclose both values."""
    span = high - low or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if span / (power * k) <= 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * k for k in range(first, max(last, first + 1) + 1)]


def _saliency(bins: SaliencyHistogram) -> _Axis:
    low, high = float(bins.bounds[0]), float(bins.bounds[-1])
    return _Axis(low, high, [(x, f"{x:.3g}") for x in np.linspace(low, high, 6).tolist()])


def _ranges(bins: SaliencyHistogram) -> list[tuple[float, float]]:
    bounds = bins.bounds.tolist()
    return list(pairwise(bounds))


def _text(x: float, y: float, anchor: str, text: str, kind: str = "mark") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{html.escape(text)}</text>'


def _svg(parts: Sequence[str], label: str) -> str:
    """Return a chart of `parts`; its label is what a screen reader says."""
    box, inside = f"0 0 {_WIDTH:g} {_HEIGHT:g}", "\n".join(parts)
    name = html.escape(label)
    return f'<svg viewBox="{box}" role="img" aria-label="{name}">\n{inside}\n</svg>'
