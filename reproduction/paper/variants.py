"""Tables with one row per variant of a method, or per number of negatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import after_holm, decimals, epochs_cell, gain, pair_cells
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, distinct_seeds, summarize
from reproduction.paper.comparison import SUFFIXES, comparison
from reproduction.paper.untrained import unlike_note, untrained_note
from reproduction.reported.numbers import Reported, find


def negatives_table(
    records: Iterable[Record], methods: Sequence[str], data: Sequence[str]
) -> Table:
    """Return test accuracy and training time by the number of sampled negatives.

    The difference is to all negatives, over the seeds that both have, of which the accuracy is the
    mean then.
    """
    records = list(records)
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
                negatives = "all" if key[3] == 0 else str(key[3])
                exact = groups.get((*key[:3], 0), []) if key[3] else []
                _, accuracy, gained = pair_cells(exact, runs, "test_accuracy", records)
                cells = (key[2], negatives, accuracy, gained, round(seconds.mean))
                rows.append((name, method, *cells))
    counted = ("Epochs", "Negatives", "Test accuracy (%)", "Difference, paired [95 %]", "Seconds")
    titles = ("Data set", "Method", *counted)
    shown = [run for runs in groups.values() for run in runs]
    notes = (*untrained_note(records, data), *unlike_note(shown))
    return Table(titles, tuple(rows), decimals=2, notes=notes)


def variants_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    data: Sequence[str],
    metrics: Mapping[str, str],
    variant: Callable[[Record], str],
    base: str | None = None,
) -> Table:
    """Return metrics beside the paper's, one row per method and variant.

    Args:
        records: Runs, with one choice of settings for each row.
        reported: The paper's numbers, in the order of the rows; rows that the paper does not
            print come last.
        data: Which data sets, in which order.
        metrics: The metrics, each with the title of its column.
        variant: Returns the paper's name of a run's variant, empty for the usual one.
        base: The method whose usual variant all others are compared with, by the last metric.
    """
    records = list(records)
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.data, record.method, variant(record)), []).append(record)
    printed = [(each.method, each.variant) for each in reported]
    order = dict.fromkeys([*printed, *(key[1:] for key in sorted(groups))])
    *_, compared = metrics
    gains, notes = after_holm(
        {
            (method, name, way): gain(groups.get((name, base, ""), []), runs, compared)
            for (name, method, way), runs in groups.items()
            if base is not None and method != base
        }
    )
    rows: list[tuple[Cell, ...]] = []
    for name in data:
        for method, way in order:
            runs = groups.get((name, method, way), [])
            if len({run.settings_sha256 for run in runs}) > 1:
                raise UserError(f"{method} {way} on {name} has several settings; pick one")
            cells: list[Cell] = []
            for metric in metrics:
                paper = find(reported, method, name, metric, way)
                cells += comparison(runs, metric, paper, records)
            if base is not None:
                cells.append(gains.get((method, name, way)))
            if any(cell is not None for cell in cells):
                rows.append((name, method, way, *_about(runs), *cells))
    titles = [f"{title}{each}" for title in metrics.values() for each in SUFFIXES]
    titles += [] if base is None else [f"Over {base} [95 %]"]
    columns = ("Data set", "Method", "Variant", "Features", "Epochs", *titles)
    return Table(columns, tuple(rows), decimals(metrics), notes=notes)


def _about(runs: Sequence[Record]) -> tuple[str | None, Cell]:
    """Return the kind of features and the epochs of runs with one choice of settings."""
    if not runs:
        return None, None
    data = runs[0].resolved.get("data")
    features = data.get("features") if isinstance(data, dict) else None
    return None if features is None else str(features), epochs_cell(runs)
