"""Counting what was tried and what came of it, over all workers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reliability.catalog import NAMES

# Where to write the counts; unset, they are not kept.
COUNTS = "HOMOGCL_COUNTS"

Count = Callable[..., None]

_counts: dict[str, Counter[str]] = {}


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Count:
    """A function of a name in the catalog and of numbers to add under it."""

    def add(name: str, **numbers: int) -> None:
        assert any(name in names for names in NAMES.values()), name
        record_property("reliability", [name, numbers])

    return add


@pytest.fixture(scope="session")
def soak() -> int:
    """How many times longer than usual to try."""
    return int(os.environ.get("HOMOGCL_SOAK", "1"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add what a test has counted; xdist brings the reports of all workers here."""
    if report.when != "teardown":
        return
    for key, value in report.user_properties:
        if key == "reliability" and isinstance(value, list):
            name, numbers = value
            _counts.setdefault(name, Counter()).update(numbers)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the counts, in the order of the catalog."""
    target = os.environ.get(COUNTS)
    if not target or hasattr(session.config, "workerinput"):
        return
    ordered = {
        kind: {name: dict(_counts[name]) for name in names if name in _counts}
        for kind, names in NAMES.items()
    }
    Path(target).write_text(json.dumps(ordered, indent=2) + "\n", "utf-8")
