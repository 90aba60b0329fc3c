"""Tables with one row per method, as in the paper, and the causes of notable differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import Place, after_holm, decimals, epochs_cell, gain, mean_cell
from homogcl.pages.table import ABSENT, LEGEND, Cell, Gain, Table
from homogcl.runs.record import OF_FORMER, Record, Summary
from reproduction.paper.comparison import SUFFIXES, comparison
from reproduction.paper.pairs import COLUMNS, Pair, base_of, paired_columns, printed_gain
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

    A method with a plug-in has a second row, of its gains over its base on the seeds of both. A
    mean that is not above that of an untrained method is marked.

    Args:
        records: Runs, of one choice of settings for each method and data set.
        reported: The paper's numbers.
        methods: Which methods, in which order; one with neither runs nor numbers has no row.
        data: Which data sets, in which order.
        metrics: The metrics, each with the title that follows the data set's name.
    """
    records = list(records)
    groups = _groups(records)
    places = decimals(metrics)
    columns = [
        f"{name}{title}{each}" for name in data for title in metrics.values() for each in SUFFIXES
    ]

    def runs(method: str, name: str) -> list[Record]:
        return groups.get((method, name), [])

    gains, notes = after_holm(
        {
            (method, name, title): gain(runs(base, name), runs(method, name), metric)
            for method in methods
            if (base := base_of(method)) in methods and base is not None
            for name in data
            for metric, title in metrics.items()
        }
    )
    rows: list[tuple[Cell, ...]] = []
    for method in methods:
        cells = [
            cell
            for name in data
            for metric in metrics
            for cell in comparison(
                runs(method, name), metric, find(reported, method, name, metric), records
            )
        ]
        epochs = [epochs_cell(runs(method, name)) for name in data]
        if any(cell is not None for cell in cells):
            trained = ", ".join(ABSENT if each is None else str(each) for each in epochs)
            rows.append((method, trained, *cells))
        gained: list[tuple[Gain | None, str | None]] = [
            (
                gains.get((method, name, title)),
                printed_gain(reported, method, name, metric, places),
            )
            for name in data
            for metric, title in metrics.items()
        ]
        if any(each for each, _ in gained):
            row = (cell for each in gained for cell in (*each, None))
            rows.append((f"{method} minus {base_of(method)}", None, *row))
    titles = ("Method", f"Epochs ({', '.join(data)})")
    return Table((*titles, *columns), tuple(rows), places, notes=notes)


def plugin_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    bases: Sequence[str],
    plugin: str,
    data: Sequence[str],
) -> Table:
    """Return each base's test accuracy in percent, alone and with a plug-in, and the gain.

    All three are over the seeds that both have. The paper's gain is the difference of its printed
    numbers.
    """
    records = list(records)
    groups = _groups(records)
    pairs: dict[Place, Pair] = {
        (base, name): Pair(alone, plugged)
        for name in data
        for base in bases
        if (alone := groups.get((base, name)))
        and (plugged := groups.get((f"{base}+{plugin}", name)))
    }
    cells, notes = paired_columns(pairs, records)

    def paper(base: str, name: str) -> tuple[str | None, ...]:
        both = (base, f"{base}+{plugin}")
        printed = [find(reported, method, name, "test_accuracy") for method in both]
        numbers = (None if each is None else each.printed for each in printed)
        return (*numbers, printed_gain(reported, both[1], name, "test_accuracy"))

    rows = tuple((name, base, *cells[base, name], *paper(base, name)) for base, name in pairs)
    columns = ("Data set", "Base", *COLUMNS, "Alone, paper", "With it, paper", "Gain, paper")
    return Table(columns, rows, decimals=2, notes=notes)


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
    notable = list(_notable(_groups(records), reported))
    for each in notable:
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
    former = (f"{OF_FORMER} {LEGEND[OF_FORMER][1]}",) if any(each.mark for each in notable) else ()
    columns = ("Data set", "Method", "Difference", "Cause")
    return Table(columns, tuple(rows), decimals=2, notes=former)


@dataclass(frozen=True)
class _Notable:
    """A difference from the paper that needs a reason."""

    paper: Reported
    difference: float
    mark: str  # of our number

    @property
    def text(self) -> str:
        if self.paper.metric == "test_accuracy":
            return f"{self.difference:+.2f} {self.mark}".rstrip()
        return f"{self.paper.metric.upper()} {self.difference:+.3f}"


def _notable(groups: Groups, reported: Iterable[Reported]) -> Iterator[_Notable]:
    for paper in reported:
        runs = groups.get((paper.method, paper.data), [])
        measured = mean_cell(runs, paper.metric)
        if isinstance(measured, Summary) and paper.value is not None and not paper.variant:
            difference = measured.mean - paper.value
            if abs(difference) > NOTABLE[paper.metric]:
                yield _Notable(paper, difference, measured.mark)


def _groups(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the runs by method and data set; refuse two choices of settings."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        members = groups.setdefault((record.method, record.data), [])
        if members and members[0].settings_sha256 != record.settings_sha256:
            raise UserError(f"{record.method} on {record.data} has several settings; pick one")
        members.append(record)
    return groups
