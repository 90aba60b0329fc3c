"""Tables with a row a method, as the paper has them, and what differs from it and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from homogcl.core.errors import UserError
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary, aggregate, distinct_seeds, summarize
from reproduction.reported import Cause, Reported, find
from reproduction.tables.results import comparison, scaled

Groups = Mapping[tuple[str, str], list[Record]]

_COMPARED = ("", ", paper", ", difference")  # what a metric's columns are called
NOTABLE = {"test_accuracy": 1.5, "nmi": 0.05, "ari": 0.05}  # differences that need a reason


def overview_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    methods: Sequence[str],
    data: Sequence[str],
    metrics: Mapping[str, str],
) -> Table:
    """Return every metric of every data set, the paper's and the difference, a row a method.

    Args:
        records: Runs, of one choice of settings for each method and data set.
        reported: The paper's numbers.
        methods: Which methods, in which order; one with neither runs nor numbers has no row.
        data: Which data sets, in which order.
        metrics: What is shown, and how its columns are called behind the data set's name.
    """
    groups = _groups(records)
    shown = decimals(metrics)
    columns = [
        f"{name}{title}{each}" for name in data for title in metrics.values() for each in _COMPARED
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
                shown,
            )
        ]
        if any(cell is not None for cell in cells):
            rows.append((method, *cells))
    return Table(("Method", *columns), tuple(rows), shown)


def plugin_table(
    records: Iterable[Record],
    reported: Sequence[Reported],
    bases: Sequence[str],
    plugin: str,
    data: Sequence[str],
) -> Table:
    """Return each base's test accuracy in percent, alone and with a plug-in, and the gain.

    The gain is that of seeds which both have: its standard deviation is of paired differences. The
    paper's is the difference of what it prints.
    """
    groups = _groups(records)
    rows: list[tuple[Cell, ...]] = []
    for name in data:
        for base in bases:
            alone, with_it = groups.get((base, name), []), groups.get((f"{base}+{plugin}", name))
            if not alone or not with_it:
                continue
            cells = [_measured(each, "test_accuracy") for each in (alone, with_it)]
            gains = (paired_gain(alone, with_it), _printed_gain(reported, base, plugin, name))
            rows.append((name, base, *cells, *gains))
    titles = ("Data set", "Base", "Alone", f"With {plugin}", "Gain, paired by seed", "Gain, paper")
    return Table(titles, tuple(rows), decimals=2)


def differences_table(
    records: Iterable[Record], reported: Sequence[Reported], causes: Iterable[Cause]
) -> Table:
    """Return what differs notably from the paper, with the reason that was established.

    A notable difference without a cause is refused: nothing is passed over in silence.
    """
    known = {
        (method, name, cause.of): cause.reason
        for cause in causes
        for method in cause.methods
        for name in cause.data
    }
    shown: dict[tuple[str, str, str], list[str]] = {}
    for each in _notable(_groups(records), reported):
        key = (each.paper.method, each.paper.data, Cause.kind(each.paper.metric))
        shown.setdefault(key, []).append(each.shown)
    missing = [f"{method} on {name} ({kind})" for method, name, kind in shown.keys() - known.keys()]
    if missing:
        raise UserError(f"no cause is given for {', '.join(sorted(missing))}")
    rows = [
        (name, method, ", ".join(each), known[method, name, kind])
        for (method, name, kind), each in shown.items()
    ]
    return Table(("Data set", "Method", "Difference", "Cause"), tuple(rows), decimals=2)


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
                accuracy = _measured(runs, "test_accuracy")
                difference = paired_gain(groups.get((*key[:3], 0), []), runs) if key[3] else None
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
    titles = [f"{title}{each}" for title in metrics.values() for each in _COMPARED]
    columns = ("Data set", "Method", "Variant", "Features", "Epochs", *titles)
    return Table(columns, tuple(rows), decimals(metrics))


def _about(runs: Sequence[Record]) -> tuple[str | None, int | None]:
    """Return which features runs of one choice of settings learned from, and for how long."""
    if not runs:
        return None, None
    data = runs[0].resolved.get("data")
    features = data.get("features") if isinstance(data, dict) else None
    return None if features is None else str(features), runs[0].epochs


@dataclass(frozen=True)
class _Notable:
    """A difference from the paper that needs a reason."""

    paper: Reported
    difference: float

    @property
    def shown(self) -> str:
        if self.paper.metric == "test_accuracy":
            return f"{self.difference:+.2f}"
        return f"{self.paper.metric.upper()} {self.difference:+.3f}"


def _notable(groups: Groups, reported: Iterable[Reported]) -> Iterator[_Notable]:
    for paper in reported:
        runs = groups.get((paper.method, paper.data), [])
        measured = _measured(runs, paper.metric)
        if measured is not None and paper.value is not None and not paper.variant:
            difference = measured.mean - paper.value
            if abs(difference) > NOTABLE[paper.metric]:
                yield _Notable(paper, difference)


def _groups(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the runs by method and data set; two choices of settings are refused."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        members = groups.setdefault((record.method, record.data), [])
        if members and members[0].settings_sha256 != record.settings_sha256:
            raise UserError(f"{record.method} on {record.data} has several settings; pick one")
        members.append(record)
    return groups


def _measured(records: Sequence[Record], metric: str) -> Summary | None:
    """Return the metric over the seeds, accuracies in percent, or None where nothing was run."""
    if not any(metric in record.metrics for record in distinct_seeds(records)):
        return None
    return scaled(aggregate(records, metric), metric)


def paired_gain(
    alone: Sequence[Record], with_it: Sequence[Record], metric: str = "test_accuracy"
) -> Summary | None:
    """Return the gain of seeds which both have, accuracies in percent, or None where none has."""
    before = {r.seed: r.metrics.get(metric) for r in distinct_seeds(alone)}
    after = {r.seed: r.metrics.get(metric) for r in distinct_seeds(with_it)}
    gains = [
        b - a for seed, a in before.items() if a is not None and (b := after.get(seed)) is not None
    ]
    return scaled(summarize(gains), metric) if gains else None


def _printed_gain(reported: Sequence[Reported], base: str, plugin: str, data: str) -> str | None:
    """Return how much more the paper prints for a base with a plug-in, if it prints both."""
    both = (find(reported, name, data, "test_accuracy") for name in (base, f"{base}+{plugin}"))
    before, after = (None if each is None else each.value for each in both)
    return None if before is None or after is None else f"{after - before:+.2f}"


def decimals(metrics: Iterable[str]) -> int:
    """Return how many decimals these metrics are shown with."""
    return 2 if all(metric.endswith("accuracy") for metric in metrics) else 3
