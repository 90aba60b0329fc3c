"""What README and docs say is run: their Python, and the tables that come from records."""

import re
from pathlib import Path

import pytest

from docs.method_pages import stale
from homogcl.report.readme import TABLES, shown_tables
from homogcl.report.table import stale_tables

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run(code: str) -> None:
    exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})


def test_the_plug_in_takes_at_most_fifteen_lines() -> None:
    loop = next(e.values[0] for e in EXAMPLES if "homophily_loss" in str(e.values[0]))
    lines = [line for line in str(loop).splitlines() if line.strip() and "import" not in line]
    assert len(lines) <= 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_records(page: Path) -> None:
    shown = re.findall(r"<!-- table:([\w-]+) -->", page.read_text("utf-8"))
    assert set(shown) <= {*TABLES}
    assert stale_tables(page, shown_tables(ROOT, shown)) == []


def test_every_method_has_a_page_that_says_what_its_code_says() -> None:
    assert stale() == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
