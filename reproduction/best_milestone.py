"""The epochs that validation prefers, among those at which records were scored."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from homogcl.core.errors import UserError
from homogcl.runs.record import Record, distinct_seeds, names_of


def best_milestone(records: Iterable[Record]) -> int:
    """Return the epochs with the highest mean validation accuracy over the seeds.

    Only epochs at which every record was validated are compared, by the former probe if more of
    them have its score; of equal ones the fewest are returned.
    """
    ended = distinct_seeds(records)
    means = max((_validated(ended, name) for name in names_of("val_accuracy")), key=len)
    if not means:
        raise UserError("the records share no milestone; run them with the same milestones")
    return min(means, key=lambda epochs: (-means[epochs], epochs))


def _validated(records: Iterable[Record], metric: str) -> dict[int, float]:
    """Return the mean of `metric` at each epoch at which all records that have it have it."""
    scores = [{e: m[metric] for e, m in r.by_epochs().items() if metric in m} for r in records]
    scores = [each for each in scores if each]
    shared = set.intersection(*map(set, scores)) if scores else set()
    return {epochs: statistics.fmean(each[epochs] for each in scores) for epochs in shared}
