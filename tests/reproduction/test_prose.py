"""Numbers between markers are those of the records, and no other number states a result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.runs.record import write_record
from reproduction.prose import BRACKETED, NOTE, filled, pages, rewrite, rewritten, stale, unmarked
from reproduction.reported.numbers import causes
from tests.records import make_record

ROOT = Path(__file__).parents[2]
MEAN = "mean presets/cora/grace accuracy"


def marked(expression: str, number: str) -> str:
    return f"<!-- v: {expression} -->{number}<!-- /v -->"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one record."""
    return with_accuracy(tmp_path, test_accuracy=0.812)


def with_accuracy(root: Path, **metrics: float) -> Path:
    record = make_record(method="grace", metrics=metrics)
    write_record(root / "results" / "presets", record)
    return root


def page(root: Path, text: str) -> Path:
    path = root / "README.md"
    path.write_text(text, "utf-8")
    return path


def test_stale_numbers_are_named_and_rewritten_in_place(root: Path) -> None:
    first, second = marked(MEAN, "79.0"), marked(MEAN, "81.2")
    path = page(root, f"One.\nIt has {first} %, and {second} %.\n")
    assert stale("README.md", root) == [f"README.md, line 2: `{MEAN}` is 81.2, not 79.0"]
    assert rewrite(root) == ["README.md"]
    assert path.read_text() == f"One.\nIt has {second} %, and {second} %.\n"
    assert stale("README.md", root) == []
    assert rewrite(root) == []


def test_all_pages_are_held_to_records(root: Path) -> None:
    (root / "docs" / "study").mkdir(parents=True)
    for name in ("docs/b.md", "docs/a.md", "docs/study/made.md", "docs/code.py"):
        (root / name).write_text("")
    assert pages(root) == ["README.md", "docs/a.md", "docs/b.md"]


def test_the_older_probe_is_marked_and_explained_once(root: Path) -> None:
    text = f"It has {marked(MEAN, '')}.{marked('note', 'old')}"
    assert rewritten(text, "p", root) == f"It has {marked(MEAN, '81.2')}.{marked('note', '')}"
    with_accuracy(root, adam_test_accuracy=0.812)
    assert rewritten(text, "p", root) == f"It has {marked(MEAN, '81.2†')}.{marked('note', NOTE)}"


def test_texts_of_tables_have_expressions_in_brackets(root: Path) -> None:
    assert filled(f"It has [[{MEAN} .0]], [[{MEAN}]].", "a.csv", root) == "It has 81, 81.2."
    with pytest.raises(UserError, match=r"a\.csv: `mean nobody/x/y accuracy`"):
        filled("It has [[mean nobody/x/y accuracy]].", "a.csv", root)


def test_causes_of_differences_state_numbers_of_the_records_alone() -> None:
    # Settings, and what other papers report.
    plain = {"0.001", "0.1", "0.4", "72.6", "89.53", "78.05", "81.36", "65.60", "70.08"}
    for cause in causes():
        numbers = re.findall(r"\d+\.\d+", BRACKETED.sub("", cause.reason))
        assert set(numbers) <= plain
        assert "[[" not in filled(cause.reason, "causes.csv", ROOT)


def test_claims_are_named_when_they_do_not_hold(root: Path) -> None:
    page(root, f"High. <!-- holds: {MEAN} > 81 -->\nLow. <!-- holds: {MEAN} < 81 -->")
    claim = f"{MEAN} < 81"
    assert stale("README.md", root) == [f"README.md, line 2: `{claim}` does not hold: it is 81.2"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (marked("mean presets/cora/nobody accuracy", "1"), "`mean presets/cora/nobody accuracy`: "),
        (marked('bench peer "', "1"), "is not as expressions"),
        (marked("origin", "1"), "is not as expressions"),
        ("<!-- v: mean -->1", "on one line"),
        ("1<!-- /v -->", "on one line"),
        ("<!-- holds: mean -->", "on one line"),
        (f"<!-- holds: {MEAN} < 0. -->", "on one line"),
    ],
)
def test_a_marker_that_cannot_be_evaluated_names_file_and_line(
    line: str, complaint: str, root: Path
) -> None:
    page(root, f"First.\nIt is {line}\n")
    with pytest.raises(UserError, match=rf"README\.md, line 2: .*({complaint})"):
        stale("README.md", root)


@pytest.mark.parametrize("before", ["", "  ", "- ", "  - "])
def test_a_marker_at_the_beginning_of_a_line_is_refused(before: str, root: Path) -> None:
    page(root, before + marked(MEAN, "81.2"))
    with pytest.raises(UserError, match="not at its beginning"):
        stale("README.md", root)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("It has 82.3 on Cora.", True),
        ("| cora | 82.3 |", True),
        ("It gains 3 points.", True),
        ("Half of them, 50 %, are.", True),
        ("p < 0.05", True),
        ("It loses -0.34 there.", True),
        ("It has 82 nodes and 10/10/80 splits.", False),
        (f"It has {marked(MEAN, '82.3')}.", False),
        ("Run `--set x=0.5` then.", False),
        ("```\nx = 0.5\n```", False),
        ("<!-- table:a -->\n| 0.5 |\n<!-- /table:a -->", False),
        ("<!-- faults -->\n| 0.5 |\n<!-- /faults -->", False),
        ("It says `a long\nline 0.5` then.", False),
        ("A rate of 0.5. <!-- plain: a setting -->", False),
        ("With Python 3.11, see Section 4.4 of [it](x-1.5.md).", False),
    ],
)
def test_numbers_of_results_need_a_marker(text: str, counts: bool) -> None:
    assert bool(unmarked(text)) is counts
    assert bool(unmarked(f"One.\n\n{text}\n\nTwo.")) is counts


def test_unmarked_lines_are_shown_as_they_are() -> None:
    text = f"One 1.5.\n{marked(MEAN, '82.3')}\n  It is `x` 82.3."
    assert unmarked(text) == ["One 1.5.", "It is `x` 82.3."]
