"""How far a variant of a plug-in gets: beside the paper's numbers, and beside its own base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import ttest_rel

from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, aggregate, distinct_seeds
from reproduction.reported import Reported, find
from reproduction.tables.levers import label
from reproduction.tables.overview import decimals, paired_gain
from reproduction.tables.results import scaled

_TITLES = {"test_accuracy": "accuracy", "nmi": "NMI", "ari": "ARI"}


@dataclass(frozen=True)
class Goal:
    """A number of the paper that a base with the plug-in is held to.

    Attributes:
        base: Name of the base.
        data: Name of the data set.
        metric: What is measured.
        row: The row of the paper, where it has none of this base with the plug-in.
    """

    base: str
    data: str
    metric: str
    row: str | None = None


def adaptive_runs(
    special: Sequence[Record], shipped: Sequence[Record], moved: Sequence[Record]
) -> list[Record]:
    """Return the runs of bases, and of the adaptive variant on them with equal settings.

    Args:
        special: Runs of both with settings of their own.
        shipped: Runs with the presets' settings; bases without others take these.
        moved: Runs of the plug-in that depart from the shipped settings, in whatever way.
    """
    settled = {_place(run) for run in special}
    settings = {(run.method, run.data): run.settings for run in shipped}
    alone = [run for run in shipped if "+" not in run.method]
    adaptive = [
        run
        for run in moved
        if label(run, settings.get((run.method, run.data), {})) == "variant=adaptive"
    ]
    return [*special, *(run for run in (*alone, *adaptive) if _place(run) not in settled)]


def _place(run: Record) -> tuple[str, str]:
    return run.method.partition("+")[0], run.data


def goals_table(
    records: Sequence[Record], reported: Sequence[Reported], plugin: str, goals: Sequence[Goal]
) -> Table:
    """Return what was reached, a row for each goal, and whether chance would do as well.

    The last column is the p-value of a two-sided paired t-test over the seeds: how often gains of
    this size come about if the plug-in does nothing.

    Args:
        records: Runs of the bases, and of the bases with the plug-in, of equal settings.
        reported: The paper's numbers.
        plugin: Name of the plug-in.
        goals: Which numbers, in which order.
    """
    columns = ("Base", "Data set", "Metric", "Paper", "Base alone", "With the plug-in", "Gain", "p")
    rows = tuple(_row(records, reported, plugin, goal) for goal in goals)
    return Table(columns, rows, decimals(goal.metric for goal in goals))


def _row(
    records: Sequence[Record], reported: Sequence[Reported], plugin: str, goal: Goal
) -> tuple[Cell, ...]:
    def runs(method: str) -> list[Record]:
        return [
            record
            for record in records
            if (record.method, record.data) == (method, goal.data) and goal.metric in record.metrics
        ]

    plugged = f"{goal.base}+{plugin}"
    alone, with_it = runs(goal.base), runs(plugged)
    printed = find(reported, goal.row or plugged, goal.data, goal.metric)
    return (
        goal.base,
        goal.data,
        _TITLES[goal.metric],
        None if printed is None else printed.printed,
        mean(alone, goal.metric),
        mean(with_it, goal.metric),
        paired_gain(alone, with_it, goal.metric),
        chance_of_gain(alone, with_it, goal.metric),
    )


def mean(runs: Sequence[Record], metric: str) -> Cell:
    """Return the mean over runs as tables show it, where there are any."""
    return scaled(aggregate(runs, metric), metric) if runs else None


def chance_of_gain(alone: Sequence[Record], with_it: Sequence[Record], metric: str) -> str | None:
    """Return the p-value of the paired gains, where at least two seeds have one."""
    before = {record.seed: record.metrics[metric] for record in distinct_seeds(alone)}
    after = {record.seed: record.metrics[metric] for record in distinct_seeds(with_it)}
    seeds = sorted(before.keys() & after.keys())
    if len(seeds) < 2:
        return None
    p = float(ttest_rel([after[s] for s in seeds], [before[s] for s in seeds]).pvalue)
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
