"""Homophily of edges by saliency."""

from __future__ import annotations

import pytest

from reproduction.figures.saliency import intervals
from tests.records import make_record


def metrics(level: float) -> dict[str, float]:
    """Every metric that a figure may show."""
    ends = {f"edge_homophily_{end:05d}": level + end / 10_000 for end in (500, 1000, 1200)}
    return {
        "test_accuracy": level,
        "nmi": level / 2,
        "edge_homophily": level,
        "saliency_auc": level,
        "positive_similarity": level,
        "negative_similarity": level / 4,
        **ends,
    }


def test_intervals_come_in_order_and_leave_the_whole_out() -> None:
    found = intervals([make_record(metrics=metrics(0.5))])
    assert list(found) == [500, 1000, 1200]
    assert found[1000].mean == pytest.approx(0.6)
