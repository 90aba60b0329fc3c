"""Metrics as tables show them: their unit and decimals, and differences paired by seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from homogcl.evaluate.significance import CONFIDENCE, holm, paired_difference
from homogcl.pages.table import AFTER_HOLM, NO_BETTER, Gain, PValue
from homogcl.runs.record import (
    OF_FORMER,
    Record,
    Summary,
    aggregate,
    distinct_seeds,
    names_of,
)

UNTRAINED = ("raw", "random", "propagation")  # what a method is to be better than
Mean = Summary | str | None
Runs = Sequence[Record]
Place = tuple[str, ...]


def in_shown_unit(summary: Summary, metric: str) -> Summary:
    """Return the summary in the unit that tables show: accuracies in percent."""
    scale = _scale(metric)
    std = None if summary.std is None else summary.std * scale
    return summary._replace(mean=summary.mean * scale, std=std)


def is_accuracy(metric: str) -> bool:
    """Return whether the metric is a share of nodes, which tables show in percent."""
    return metric.endswith("accuracy")


def decimals(metrics: Iterable[str]) -> int:
    """Return how many decimals a table of these metrics shows."""
    return 2 if all(is_accuracy(metric) for metric in metrics) else 3


def has_metric(record: Record, metric: str) -> bool:
    """Return whether the record has the metric, if only of the former probe."""
    return any(name in record.metrics for name in names_of(metric))


def mean_cell(records: Runs, metric: str, among: Iterable[Record] = ()) -> Mean:
    """Return the metric over the seeds, else how many runs failed, else nothing.

    Args:
        records: Runs of one method, data set and settings.
        metric: What is shown.
        among: Runs of any kind; a mean that is not above that of an untrained method among them,
            on the same data set, is marked.
    """
    if not any(has_metric(record, metric) for record in distinct_seeds(records)):
        failures = sum(record.status == "failed" for record in records)
        return f"failed ({failures})" if failures else None
    mean = in_shown_unit(aggregate(records, metric), metric)
    below = any(_is_no_better(records, mean, other, metric) for other in _untrained(among, records))
    return mean._replace(mark=mean.mark + NO_BETTER) if below else mean


def pair_cells(
    base: Runs, other: Runs, metric: str, among: Iterable[Record] = ()
) -> tuple[Mean, Mean, Gain | None]:
    """Return both means over the seeds of both, and by how much the second exceeds the first.

    Without a common seed, each mean is over its own seeds, and there is no difference.
    """
    before, after = _common(base, other, metric)
    one = mean_cell(before or base, metric, among)
    two = mean_cell(after or other, metric, among)
    return one, two, gain(before, after, metric)


def gain(base: Runs, other: Runs, metric: str = "test_accuracy") -> Gain | None:
    """Return by how much `other` exceeds `base` on the seeds of both, or None without any."""
    before, after = _common(base, other, metric)
    if not before:
        return None
    (name,) = before[0].metrics
    scale = _scale(metric)
    difference = paired_difference(
        *([scale * run.metrics[name] for run in runs] for runs in (before, after))
    )
    return Gain(difference, OF_FORMER if name != metric else "")


def p_cell(difference: Gain | None) -> PValue | None:
    """Return the p-value of a difference, if it has one."""
    p = None if difference is None else difference.difference.p
    return None if p is None else PValue(p)


def after_holm(
    gains: Mapping[Place, Gain | None],
) -> tuple[dict[Place, Gain | None], tuple[str, ...]]:
    """Return the differences with those marked that Holm's correction leaves, and a note.

    Args:
        gains: All differences of a table, by the row, the data set, and more if need be.
    """
    tested = {key: p for key, each in gains.items() if (p := p_cell(each)) is not None}
    if not tested:
        return dict(gains), ()
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    remaining = [key for key, p in adjusted.items() if p <= 1 - CONFIDENCE]
    marked = {
        key: each._replace(mark=each.mark + AFTER_HOLM) if each and key in remaining else each
        for key, each in gains.items()
    }
    names = ", ".join(_name(*key) for key in remaining)
    tests = f"{len(tested)} paired t-test{'s' if len(tested) > 1 else ''}"
    return marked, (f"{tests}; at 5 % after Holm's correction: {names or 'none'}.",)


def epochs_cell(*groups: Runs) -> int | str | None:
    """Return the epochs that runs were trained for; of several groups, all that differ."""
    ranges: list[str] = []
    for records in groups:
        epochs = sorted({run.epochs for run in records if run.epochs is not None})
        if epochs:
            ranges.append("–".join(map(str, dict.fromkeys((epochs[0], epochs[-1])))))
    text = " / ".join(ranges if len(set(ranges)) > 1 else ranges[:1])
    return int(text) if text.isdigit() else text or None


def _scale(metric: str) -> int:
    return 100 if is_accuracy(metric) else 1


def _name(row: str, data: str = "", *more: str) -> str:
    return " ".join(
        [row, *([f"on {data}"] if data else []), *(f"({each})" for each in more if each)]
    )


def _untrained(among: Iterable[Record], runs: Runs) -> list[list[Record]]:
    """Return the runs of untrained methods on the same graph, by their settings."""
    groups: dict[tuple[str, str], list[Record]] = {}
    if runs[0].method in UNTRAINED:
        return []
    for record in among:
        if record.method in UNTRAINED and record.data == runs[0].data:
            groups.setdefault((record.method, record.settings_sha256), []).append(record)
    return list(groups.values())


def _is_no_better(runs: Runs, mean: Summary, untrained: Runs, metric: str) -> bool:
    """Return whether runs are not above untrained ones on common seeds, else on average.

    Common seeds count if there are two, or as many as `runs` has: the first of many is no verdict.
    """
    paired = gain(untrained, runs, metric)
    if paired is not None and paired.difference.n >= min(2, mean.n):
        return paired.difference.mean <= 0
    other = mean_cell(untrained, metric)
    if not isinstance(other, Summary) or other.mark != mean.mark:
        return False  # nothing of the same probe to compare with
    return runs[0].split == untrained[0].split and mean.mean <= other.mean


def _common(base: Runs, other: Runs, metric: str) -> tuple[list[Record], list[Record]]:
    """Return the runs of the seeds that both have, in their order, with one metric alone.

    A seed that splits the nodes in two ways is no pair, and one probe is not paired with another.
    """
    partners = {record.seed: record for record in distinct_seeds(other)}
    ended = sorted(distinct_seeds(base), key=lambda record: record.seed)
    for name in names_of(metric):
        pairs = [
            (_with_only(record, name), _with_only(partner, name))
            for record in ended
            if (partner := partners.get(record.seed)) is not None
            and partner.split_sha256 == record.split_sha256
            and name in record.metrics
            and name in partner.metrics
        ]
        if pairs:
            return [one for one, _ in pairs], [two for _, two in pairs]
    return [], []


def _with_only(record: Record, name: str) -> Record:
    return record.model_copy(update={"metrics": {name: record.metrics[name]}})
