"""Metrics as tables show them: their unit and decimals, and differences paired by seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from scipy.stats import ttest_rel

from homogcl.pages.table import PValue
from homogcl.runs.record import Record, Summary, aggregate, distinct_seeds, summarize


def in_shown_unit(summary: Summary, metric: str) -> Summary:
    """Return the summary in the unit that tables show: accuracies in percent."""
    scale = 100 if is_accuracy(metric) else 1
    std = None if summary.std is None else summary.std * scale
    return Summary(summary.mean * scale, std, summary.n)


def is_accuracy(metric: str) -> bool:
    """Return whether the metric is a share of nodes, which tables show in percent."""
    return metric.endswith("accuracy")


def decimals(metrics: Iterable[str]) -> int:
    """Return how many decimals a table of these metrics shows."""
    return 2 if all(is_accuracy(metric) for metric in metrics) else 3


def mean_cell(records: Sequence[Record], metric: str) -> Summary | str | None:
    """Return the metric over the seeds, else how many runs failed, else nothing.

    Args:
        records: Runs of one method, data set and settings.
        metric: What is shown.
    """
    if any(metric in record.metrics for record in distinct_seeds(records)):
        return in_shown_unit(aggregate(records, metric), metric)
    failures = sum(record.status == "failed" for record in records)
    return f"failed ({failures})" if failures else None


def paired_difference(
    base: Sequence[Record], other: Sequence[Record], metric: str = "test_accuracy"
) -> Summary | None:
    """Return by how much `other` exceeds `base` on the seeds of both, or None without any."""
    differences = [after - before for before, after in _pairs(base, other, metric)]
    return in_shown_unit(summarize(differences), metric) if differences else None


def paired_p_value(base: Sequence[Record], other: Sequence[Record], metric: str) -> PValue | None:
    """Return the p-value of a two-sided paired t-test over the seeds of both.

    There is none for fewer than two seeds, nor where all seeds agree exactly.
    """
    pairs = _pairs(base, other, metric)
    if len(pairs) < 2 or all(before == after for before, after in pairs):
        return None
    before, after = zip(*pairs, strict=True)
    p = float(ttest_rel(after, before).pvalue)
    return PValue(p) if math.isfinite(p) else None


def _pairs(
    base: Sequence[Record], other: Sequence[Record], metric: str
) -> list[tuple[float, float]]:
    """Return the metric of both by seed; a seed that splits the nodes in two ways is no pair."""
    partners = {record.seed: record for record in distinct_seeds(other)}
    return [
        (record.metrics[metric], partner.metrics[metric])
        for record in sorted(distinct_seeds(base), key=lambda record: record.seed)
        if (partner := partners.get(record.seed)) is not None
        and partner.split_sha256 == record.split_sha256
        and metric in record.metrics
        and metric in partner.metrics
    ]
