"""Small charts as SVG text: bars of a histogram and curves of a training.

Colors and fonts come from the style sheet of the page that holds them; every string is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_WIDTH, _HEIGHT = 520.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 12.0, 36.0


@dataclass(frozen=True)
class SaliencyHistogram:
    """Edges by their saliency, each edge counted once, split by what the labels say.

    Attributes:
        bounds: Rising limits of the bins, [B + 1].
        same: Edges between nodes of one class, [B].
        different: Edges between nodes of two classes, [B].
        unknown: Edges with an end that has no label, [B].
    """

    bounds: npt.NDArray[np.floating]
    same: npt.NDArray[np.integer]
    different: npt.NDArray[np.integer]
    unknown: npt.NDArray[np.integer]

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        bins = len(self.bounds) - 1
        if bins < 1 or {x.shape for x in (self.same, self.different, self.unknown)} != {(bins,)}:
            raise ValueError("a histogram needs B + 1 bounds and B counts of each kind")

    @property
    def labeled(self) -> npt.NDArray[np.integer]:
        """Edges with a label at both ends, [B]."""
        return self.same + self.different

    @property
    def total(self) -> npt.NDArray[np.integer]:
        """All edges, [B]."""
        return self.labeled + self.unknown


@dataclass(frozen=True)
class _Frame:
    """Where values lie in a chart: x from `x0` to `x1`, y from 0 or `y0` up to `y1`."""

    x0: float
    x1: float
    y0: float
    y1: float

    def x(self, value: float) -> float:
        span = (self.x1 - self.x0) or 1.0
        return _LEFT + (value - self.x0) / span * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        span = (self.y1 - self.y0) or 1.0
        return _HEIGHT - _BOTTOM - (value - self.y0) / span * (_HEIGHT - _TOP - _BOTTOM)


def counts_chart(bins: SaliencyHistogram) -> str:
    """Return the number of edges in each bin, one bar on another by label agreement."""
    highest = max(int(bins.total.max()), 1)
    frame = _Frame(float(bins.bounds[0]), float(bins.bounds[-1]), 0.0, float(highest))
    parts = _axes(frame, "saliency S of the edge", [f"{y:,.0f}" for y in _ticks(frame)])
    kinds = (("same", bins.same, "one class"), ("different", bins.different, "two classes"))
    floor = np.zeros(len(bins.total))
    for kind, counts, meaning in (*kinds, ("unknown", bins.unknown, "no label")):
        for b, count in enumerate(counts.tolist()):
            if count:
                hint = f"{_range(bins, b)}: {count:,} edges, {meaning}"
                parts.append(_bar(frame, bins, b, (floor[b], floor[b] + count), kind, hint))
        floor = floor + counts
    return _svg(parts, "Number of edges by saliency")


def agreement_chart(bins: SaliencyHistogram) -> str:
    """Return the share of edges within one class in each bin, beside that of all edges."""
    frame = _Frame(float(bins.bounds[0]), float(bins.bounds[-1]), 0.0, 1.0)
    parts = _axes(frame, "saliency S of the edge", [f"{100 * y:.0f} %" for y in _ticks(frame)])
    for b, (same, labeled) in enumerate(
        zip(bins.same.tolist(), bins.labeled.tolist(), strict=True)
    ):
        if labeled:
            hint = f"{_range(bins, b)}: {100 * same / labeled:.1f} % of {labeled:,} edges"
            parts.append(_bar(frame, bins, b, (0.0, same / labeled), "same", hint))
    if bins.labeled.sum():
        overall = float(bins.same.sum() / bins.labeled.sum())
        y = frame.y(overall)
        parts.append(
            f'<line class="mean" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(
            f'<text class="tag" x="{_LEFT + 4}" y="{y - 4:.1f}">all: {100 * overall:.1f} %</text>'
        )
    return _svg(parts, "Share of edges within one class by saliency")


def curve_chart(name: str, values: Sequence[float]) -> str:
    """Return one term of the loss by epoch; epochs without a finite value leave a gap."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    frame = _Frame(1.0, float(max(len(values), 2)), low - margin, high + margin)
    parts = _axes(frame, "epoch", [f"{y:.3g}" for y in _ticks(frame)])
    pen, steps = "M", []
    for epoch, value in enumerate(values, 1):
        if not math.isfinite(value):
            pen = "M"
            continue
        steps.append(f"{pen}{frame.x(epoch):.1f} {frame.y(value):.1f}")
        pen = "L"
    parts.append(f'<path class="curve" d="{"".join(steps)}"/>')
    return _svg(parts, f"{name} by epoch")


def _ticks(frame: _Frame) -> list[float]:
    return [frame.y0 + part * (frame.y1 - frame.y0) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]


def _axes(frame: _Frame, label: str, marks: Sequence[str]) -> list[str]:
    """Return horizontal lines with their marks, the ends of the x axis and its label."""
    parts = []
    for value, mark in zip(_ticks(frame), marks, strict=True):
        y = frame.y(value)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{mark}</text>')
    y = _HEIGHT - _BOTTOM + 16
    for value, anchor in ((frame.x0, "start"), (frame.x1, "end")):
        parts.append(
            f'<text x="{frame.x(value):.1f}" y="{y}" text-anchor="{anchor}">{value:g}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{y + 6}" text-anchor="middle">{label}</text>')
    return parts


def _bar(
    frame: _Frame,
    bins: SaliencyHistogram,
    b: int,
    heights: tuple[float, float],
    kind: str,
    hint: str,
) -> str:
    left, right = frame.x(float(bins.bounds[b])) + 1, frame.x(float(bins.bounds[b + 1])) - 1
    low, high = frame.y(heights[0]), frame.y(heights[1])
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{high:.1f}" width="{right - left:.1f}" '
        f'height="{low - high:.1f}"><title>{html.escape(hint)}</title></rect>'
    )


def _range(bins: SaliencyHistogram, b: int) -> str:
    return f"S from {bins.bounds[b]:.2f} to {bins.bounds[b + 1]:.2f}"


def _svg(parts: Sequence[str], label: str) -> str:
    """Return a chart of `parts`; its label is what a screen reader says."""
    name = html.escape(label)
    inside = "\n".join(parts)
    return f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{name}">\n{inside}\n</svg>'
