"""One row per way of running a method: the paper's variants, and numbers of negatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import decimals, mean_cell, paired_difference
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, distinct_seeds, summarize
from reproduction.paper.comparison import SUFFIXES, comparison
from reproduction.reported.numbers import Reported, find


def negatives_table(
    records: Iterable[Record], methods: Sequence[str], data: Sequence[str]
) -> Table:
    """Return test accuracy and training time by how many nodes stand for all negatives.

    The difference is that from all negatives, over the seeds which both have.
    """
    groups: dict[tuple[str, str, int, int], list[Record]] = {}
    for record in records:
        if record.method in methods and record.data in data:
            sampled = record.setting("negatives") == "sampled"
            count = int(str(record.setting("num_negatives"))) if sampled else 0
            key = (record.data, record.method, record.epochs or 0, count)
            groups.setdefault(key, []).append(record)
    rows: list[tuple[Cell, ...]] = []
    for name in data:
        for method in methods:
            for key in sorted(key for key in groups if key[:2] == (name, method)):
                runs = distinct_seeds(groups[key])
                seconds = summarize([run.seconds for run in runs])
                shown = "all" if key[3] == 0 else str(key[3])
                accuracy = mean_cell(runs, "test_accuracy")
                exact = groups.get((*key[:3], 0), []) if key[3] else []
                difference = paired_difference(exact, runs)
                shown_cells = (key[2], shown, accuracy, difference, round(seconds.mean))
                rows.append((name, method, *shown_cells))
    counted = ("Epochs", "Negatives", "Test accuracy (%)", "Difference, paired", "Seconds")
    titles = ("Data set", "Method", *counted)
    return Table(titles, tuple(rows), decimals=2)


def variants_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    data: Sequence[str],
    metrics: Mapping[str, str],
    variant: Callable[[Record], str],
) -> Table:
    """Return metrics beside the paper's, a row for each method and way of running it.

    Args:
        records: Runs, of one choice of settings for each row.
        reported: The paper's numbers, whose order is that of the rows; what it does not print
            comes last.
        data: Which data sets, in which order.
        metrics: What is shown, and what its column is called.
        variant: Returns what the paper calls the way of running it, empty for the usual one.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.data, record.method, variant(record)), []).append(record)
    printed = [(each.method, each.variant) for each in reported]
    order = dict.fromkeys([*printed, *(key[1:] for key in sorted(groups))])
    rows: list[tuple[Cell, ...]] = []
    for name in data:
        for method, way in order:
            runs = groups.get((name, method, way), [])
            if len({run.settings_sha256 for run in runs}) > 1:
                raise UserError(f"{method} {way} on {name} has several settings; pick one")
            cells: list[Cell] = []
            for metric in metrics:
                paper = find(reported, method, name, metric, way)
                cells += comparison(runs, metric, paper, decimals(metrics))
            if any(cell is not None for cell in cells):
                rows.append((name, method, way, *_about(runs), *cells))
    titles = [f"{title}{each}" for title in metrics.values() for each in SUFFIXES]
    columns = ("Data set", "Method", "Variant", "Features", "Epochs", *titles)
    return Table(columns, tuple(rows), decimals(metrics))


def _about(runs: Sequence[Record]) -> tuple[str | None, int | None]:
    """Return which features runs of one choice of settings learned from, and for how long."""
    if not runs:
        return None, None
    data = runs[0].resolved.get("data")
    features = data.get("features") if isinstance(data, dict) else None
    return None if features is None else str(features), runs[0].epochs
