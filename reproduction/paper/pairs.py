"""Pairs of runs, a base alone and with a plug-in, as columns of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from homogcl.pages.metric_cells import Place, after_holm, epochs_cell, p_cell, pair_cells
from homogcl.pages.table import Cell
from homogcl.runs.record import Record
from reproduction.paper.untrained import unlike_note, untrained_note
from reproduction.reported.numbers import Reported, find

COLUMNS = ("Epochs", "Alone", "With the plug-in", "Gain [95 %]", "p")


class Pair(NamedTuple):
    """Runs of a base alone and with a plug-in, and what they are compared by."""

    alone: Sequence[Record]
    plugged: Sequence[Record]
    metric: str = "test_accuracy"


def paired_columns(
    pairs: Mapping[Place, Pair], among: Iterable[Record]
) -> tuple[dict[Place, tuple[Cell, ...]], tuple[str, ...]]:
    """Return the cells of `COLUMNS` for each pair, and a note on all tests.

    Means and gain are over the seeds of both; without a common one, means are over their own.

    Args:
        pairs: All pairs of a table, by what names them.
        among: Runs of any kind, with untrained methods that means are held to.
    """
    untrained = list(among)
    cells = {place: pair_cells(*pair, untrained) for place, pair in pairs.items()}
    gains, notes = after_holm({place: gain for place, (_, _, gain) in cells.items()})
    columns: dict[Place, tuple[Cell, ...]] = {}
    for place, (alone, plugged, _) in cells.items():
        gain = gains[place]
        epochs = epochs_cell(pairs[place].alone, pairs[place].plugged)
        columns[place] = (epochs, alone, plugged, gain, p_cell(gain))
    return columns, (*notes, *_bars(pairs.values(), untrained), *_unlike(pairs.values()))


def _bars(pairs: Collection[Pair], untrained: Sequence[Record]) -> list[str]:
    """Return a line for each metric with what untrained methods have."""
    data = list(dict.fromkeys(run.data for pair in pairs for run in pair.alone))
    metrics = dict.fromkeys(pair.metric for pair in pairs)
    return [note for metric in metrics for note in untrained_note(untrained, data, metric)]


def _unlike(pairs: Collection[Pair]) -> tuple[str, ...]:
    """Return a line on plug-ins whose negatives were not drawn as their base's, each run once."""
    runs = [run for pair in pairs for run in pair.plugged]
    return unlike_note({(r.data, r.method, r.settings_sha256, r.seed): r for r in runs}.values())


def base_of(method: str) -> str | None:
    """Return the base of a method with a plug-in, or None."""
    base, plus, _ = method.partition("+")
    return base if plus else None


def printed_gain(
    reported: Sequence[Reported], method: str, data: str, metric: str, decimals: int = 2
) -> str | None:
    """Return what a plug-in adds to its base in the paper, if it prints both numbers."""
    both = (find(reported, str(name), data, metric) for name in (base_of(method), method))
    before, after = (None if each is None else each.value for each in both)
    return None if before is None or after is None else f"{after - before:+.{decimals}f}"
