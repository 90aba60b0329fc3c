"""Steps and widths: what is published, what is taken here, and what it costs."""

from __future__ import annotations

import pytest

from reproduction.paper.published_budgets import (
    UNPUBLISHED,
    Budget,
    budgets_table,
    published_budget,
)
from tests.records import make_record


@pytest.mark.parametrize(
    ("method", "data", "budget"),
    [
        ("bgrl", "photo", Budget(10_000, "256, 128")),  # the preset called published
        ("bgrl", "citeseer", Budget(50, "4096, 8192")),  # of those who printed the row
        ("grace", "cora", Budget(200, "256, 128")),  # GRACE's own
        ("grace+homogcl", "cora", Budget(50, "512, 256")),  # HomoGCL's, not GRACE's
        ("grace+homogcl", "computers", Budget(100, "512, 256")),
        ("ccassg", "citeseer", Budget(20, "512")),  # a single layer
        ("gca", "cora", None),
        ("bgrl", "demo", None),
    ],
)
def test_the_published_budget_is_that_of_the_authors(
    method: str, data: str, budget: Budget | None
) -> None:
    assert published_budget(method, data) == budget


def test_times_are_medians_and_those_of_the_published_steps_follow() -> None:
    records = [
        make_record(method="bgrl", data="photo", seed=seed, seconds=seconds)
        for seed, seconds in enumerate((60.0, 120.0, 600.0))
    ]
    table = budgets_table(records, ("raw", "bgrl", "gca"), ("photo", "cora"))
    assert table.rows[0] == (
        *("bgrl", "photo", 10_000, 200, "256, 128", "256, 128"),
        *("2 minutes", "1.7 hours"),
    )
    by_place = {row[:2]: row[2:] for row in table.rows}
    assert by_place["gca", "cora"] == (UNPUBLISHED, 50, None, "512, 256", None, None)
    assert "raw" not in {row[0] for row in table.rows}
