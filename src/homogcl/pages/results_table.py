"""A table of anybody's records: methods by data sets, and differences to a base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from homogcl.core.errors import UnknownName, UserError
from homogcl.pages.metric_cells import (
    after_holm,
    decimals,
    epochs_cell,
    gain,
    has_metric,
    is_accuracy,
    mean_cell,
    p_cell,
)
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import OF_FORMER, Record, Summary

Groups = Mapping[str, Mapping[str, Sequence[Record]]]  # by row and data set


def results_table(
    records: Iterable[Record], metric: str = "test_accuracy", base: str | None = None
) -> Table:
    """Return mean ± standard deviation (number of seeds) per method and data set.

    A further column has the epochs trained. The highest mean of each data set is bold, and one that
    is not above that of an untrained method is marked. Where a method ran on one data set with
    several settings, each choice has a row that names the settings in which they differ.

    Args:
        records: Runs of any methods on any data sets.
        metric: What is shown; accuracies in percent.
        base: The row that all others are compared with. Two columns per data set then show the
            difference over the seeds of both with its 95 % interval, and the p-value of a paired
            t-test; those that Holm's correction for the number of tests leaves are marked.
    """
    records = list(records)
    _check(records, metric)
    groups = group_by_row(records)
    if base is not None and base not in groups:
        raise UnknownName("base", base, groups)
    names = sorted({record.data for record in records})
    gains, notes = after_holm(
        {
            (row, name): gain(groups[base].get(name, []), groups[row].get(name, []), metric)
            for name in names
            for row in groups
            if base is not None and row != base
        }
    )

    def cells(row: str, name: str) -> list[Cell]:
        runs = groups[row].get(name, [])
        difference = gains.get((row, name))
        compared = [difference, p_cell(difference)] if base else []
        return [mean_cell(runs, metric, records), epochs_cell(runs), *compared]

    rows = tuple((row, *(cell for name in names for cell in cells(row, name))) for row in groups)
    titles = ("", ", epochs", *((f", minus {base}", ", p") if base else ()))
    columns = [f"{name}{title}" for name in names for title in titles]
    unit = f"{metric}, %" if is_accuracy(metric) else metric
    digits = decimals([metric])
    bold = _highest(rows, range(1, len(columns) + 1, len(titles)), digits)
    return Table((f"Method ({unit})", *columns), rows, digits, bold, notes)


def group_by_row(records: Iterable[Record]) -> Groups:
    """Return the records by row and data set, rows in the order of their names."""
    by_method: dict[str, list[Record]] = {}
    for record in records:
        by_method.setdefault(record.method, []).append(record)
    groups: dict[str, dict[str, list[Record]]] = {}
    for method in sorted(by_method):
        keys = _distinguishing_keys(by_method[method])
        rows: dict[str, dict[str, list[Record]]] = {}
        for record in by_method[method]:
            row = f"{method} ({_label(record, keys)})" if keys else method
            rows.setdefault(row, {}).setdefault(record.data, []).append(record)
        groups |= {row: rows[row] for row in sorted(rows)}
    return groups


def flat_settings(settings: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the settings of all parts, by `part.key`."""
    return {
        f"{part}.{key}": value
        for part, values in settings.items()
        if isinstance(values, dict)
        for key, value in values.items()
    }


def shown_setting(value: JsonValue) -> str:
    """Return a setting's value as labels show it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check(records: Sequence[Record], metric: str) -> None:
    metrics = {name for record in records for name in record.metrics}
    ended = [record for record in records if record.status == "ok"]
    if ended and not any(has_metric(record, metric) for record in ended):
        # Numbered metrics would fill the screen.
        raise UnknownName("metric", metric, (name for name in metrics if not name[-1].isdigit()))
    hashes: dict[str, str] = {}
    for record in records:
        if hashes.setdefault(record.data, record.data_sha256) != record.data_sha256:
            raise UserError(
                f"two graphs are called {record.data}: keep their records in folders of their own"
            )


def _distinguishing_keys(records: Iterable[Record]) -> list[str]:
    """Return the settings in which runs of one method differ on at least one data set.

    Settings at their default are not among those by which a record is known, so that a setting
    that was added later tells no runs apart.
    """
    choices: dict[str, dict[str, dict[str, JsonValue]]] = {}
    for record in records:
        settings = flat_settings(record.settings)
        choices.setdefault(record.data, {})[record.settings_sha256] = settings
    keys: set[str] = set()
    for by_hash in choices.values():
        first, *others = by_hash.values()
        for other in others:
            keys |= {key for key in first | other if first.get(key) != other.get(key)}
    return sorted(keys)


def _label(record: Record, keys: Sequence[str]) -> str:
    """Return the values of the settings `keys`, by their names alone where these are unique."""
    settings = flat_settings(record.settings) | flat_settings(record.resolved)
    short = [key.partition(".")[2] for key in keys]
    names = [key if short.count(name) > 1 else name for key, name in zip(keys, short, strict=True)]
    return ", ".join(
        f"{name}={shown_setting(settings[key]) if key in settings else 'default'}"
        for key, name in zip(keys, names, strict=True)
    )


def _highest(
    rows: Sequence[Sequence[Cell]], columns: Iterable[int], digits: int
) -> frozenset[tuple[int, int]]:
    """Return where the highest shown mean of each column stands, if there are two to compare.

    Means of the former probe are compared only where there is no other.
    """
    places: set[tuple[int, int]] = set()
    for column in columns:
        cells = {n: cell for n, row in enumerate(rows) if isinstance(cell := row[column], Summary)}
        present = {n: cell for n, cell in cells.items() if OF_FORMER not in cell.mark}
        means = {n: round(cell.mean, digits) for n, cell in (present or cells).items()}
        if len(means) > 1:
            places |= {(n, column) for n, mean in means.items() if mean == max(means.values())}
    return frozenset(places)
