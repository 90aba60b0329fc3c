"""The tables in `docs/reliability.md` are what the tests counted, for every name there is."""

import json
import re
from pathlib import Path

import pytest

from docs.reliability_table import COUNTS, PAGE, filled, table
from tests.reliability.catalog import NAMES

ROOT = Path(__file__).parents[2]


def test_tables_are_those_of_the_counts() -> None:
    text = PAGE.read_text("utf-8")
    assert filled(text, json.loads(COUNTS.read_text("utf-8"))) == text


@pytest.mark.parametrize("kind", NAMES)
def test_every_name_was_counted_and_none_is_lost_or_crashed(kind: str) -> None:
    counts = json.loads(COUNTS.read_text("utf-8"))[kind]
    assert tuple(counts) == NAMES[kind]
    for row in table(kind, counts).splitlines()[2:]:
        assert row.endswith("| 0 |"), row


def test_losses_and_crashes_would_show() -> None:
    lost = table("fault", {"kill": {"rounds": 50, "survived": 48}})
    assert lost.endswith("| kill | 50 | 48 | 2 |")
    crashed = table("input", {"CSV": {"tried": 9, "read": 3, "refused": 5}})
    assert crashed.endswith("| CSV | 9 | 3 | 5 | 1 |")


def test_every_count_in_the_tests_is_of_a_known_name() -> None:
    """Under these names tests count; a name that nothing counts would be a promise in the air."""
    sources = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    computed = {"SIGTERM", "SIGINT", "temperature 0.001", "temperature 1000"}
    for name in {name for names in NAMES.values() for name in names} - computed:
        assert f'"{name}"' in sources or name in fuzzed(), name


def fuzzed() -> set[str]:
    source = (Path(__file__).parent / "fuzz.py").read_text("utf-8")
    return set(re.findall(r'^        "([^"]+)": ', source, re.M))


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/reliability.md"])
def test_every_test_that_a_promise_names_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) >= 10
    for file, test in named:
        source = (ROOT / file).read_text("utf-8")
        assert not test or f"def {test}(" in source, (file, test)
