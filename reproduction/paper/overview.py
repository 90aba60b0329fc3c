"""Tables with one row per method, as in the paper, and the causes of notable differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import decimals, mean_cell, paired_difference
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary
from reproduction.paper.comparison import SUFFIXES, comparison
from reproduction.reported.numbers import Cause, Reported, find

Groups = Mapping[tuple[str, str], list[Record]]

NOTABLE = {"test_accuracy": 1.5, "nmi": 0.05, "ari": 0.05}  # differences that need a reason


def overview_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    methods: Sequence[str],
    data: Sequence[str],
    metrics: Mapping[str, str],
) -> Table:
    """Return one row per method: every metric of every data set, the paper's, the difference.

    Args:
        records: Runs, of one choice of settings for each method and data set.
        reported: The paper's numbers.
        methods: Which methods, in which order; one with neither runs nor numbers has no row.
        data: Which data sets, in which order.
        metrics: The metrics, each with the title that follows the data set's name.
    """
    groups = _groups(records)
    places = decimals(metrics)
    columns = [
        f"{name}{title}{each}" for name in data for title in metrics.values() for each in SUFFIXES
    ]
    rows = []
    for method in methods:
        cells = [
            cell
            for name in data
            for metric in metrics
            for cell in comparison(
                groups.get((method, name), []),
                metric,
                find(reported, method, name, metric),
                places,
            )
        ]
        if any(cell is not None for cell in cells):
            rows.append((method, *cells))
    return Table(("Method", *columns), tuple(rows), places)


def plugin_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    bases: Sequence[str],
    plugin: str,
    data: Sequence[str],
) -> Table:
    """Return each base's test accuracy in percent, alone and with a plug-in, and the gain.

    The gain is over the seeds that both have, and its standard deviation is that of the paired
    differences. The paper's gain is the difference of its printed numbers.
    """
    groups = _groups(records)
    rows: list[tuple[Cell, ...]] = []
    for name in data:
        for base in bases:
            alone, plugged = groups.get((base, name), []), groups.get((f"{base}+{plugin}", name))
            if not alone or not plugged:
                continue
            cells = [mean_cell(each, "test_accuracy") for each in (alone, plugged)]
            gains = (paired_difference(alone, plugged), _printed_gain(reported, base, plugin, name))
            rows.append((name, base, *cells, *gains))
    titles = ("Data set", "Base", "Alone", f"With {plugin}", "Gain, paired by seed", "Gain, paper")
    return Table(titles, tuple(rows), decimals=2)


def differences_table(
    records: Iterable[Record], reported: Sequence[Reported], causes: Iterable[Cause]
) -> Table:
    """Return the notable differences from the paper, with their causes.

    A notable difference without a cause is refused.
    """
    reasons = {
        (method, name, cause.of): cause.reason
        for cause in causes
        for method in cause.methods
        for name in cause.data
    }
    differences: dict[tuple[str, str, str], list[str]] = {}
    for each in _notable(_groups(records), reported):
        key = (each.paper.method, each.paper.data, Cause.kind(each.paper.metric))
        differences.setdefault(key, []).append(each.text)
    missing = [
        f"{method} on {name} ({kind})" for method, name, kind in differences.keys() - reasons.keys()
    ]
    if missing:
        raise UserError(f"no cause is given for {', '.join(sorted(missing))}")
    rows = [
        (name, method, ", ".join(each), reasons[method, name, kind])
        for (method, name, kind), each in differences.items()
    ]
    return Table(("Data set", "Method", "Difference", "Cause"), tuple(rows), decimals=2)


@dataclass(frozen=True)
class _Notable:
    """A difference from the paper that needs a reason."""

    paper: Reported
    difference: float

    @property
    def text(self) -> str:
        if self.paper.metric == "test_accuracy":
            return f"{self.difference:+.2f}"
        return f"{self.paper.metric.upper()} {self.difference:+.3f}"


def _notable(groups: Groups, reported: Iterable[Reported]) -> Iterator[_Notable]:
    for paper in reported:
        runs = groups.get((paper.method, paper.data), [])
        measured = mean_cell(runs, paper.metric)
        if isinstance(measured, Summary) and paper.value is not None and not paper.variant:
            difference = measured.mean - paper.value
            if abs(difference) > NOTABLE[paper.metric]:
                yield _Notable(paper, difference)


def _groups(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the runs by method and data set; refuse two choices of settings."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        members = groups.setdefault((record.method, record.data), [])
        if members and members[0].settings_sha256 != record.settings_sha256:
            raise UserError(f"{record.method} on {record.data} has several settings; pick one")
        members.append(record)
    return groups


def _printed_gain(reported: Sequence[Reported], base: str, plugin: str, data: str) -> str | None:
    """Return the paper's gain of a plug-in on a base, if it prints both numbers."""
    both = (find(reported, name, data, "test_accuracy") for name in (base, f"{base}+{plugin}"))
    before, after = (None if each is None else each.value for each in both)
    return None if before is None or after is None else f"{after - before:+.2f}"
