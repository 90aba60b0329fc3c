"""The tables of README and docs, by name; that they are not stale is in `tests/test_docs.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.runs.record import write_record
from reproduction.tables.named import TABLES, named_table, named_tables, shown_in
from tests.records import make_record

ROOT = Path(__file__).parents[3]


def test_every_table_is_shown_somewhere_or_has_an_artifact() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = {name for page in pages for name in shown_in(page.read_text("utf-8"))}
    assert shown <= set(TABLES)
    assert set(TABLES) - shown <= {"levers-grace", "levers-bgrl", "encoders", "goals"}


def test_tables_read_the_records_below_the_projects_folder(tmp_path: Path) -> None:
    write_record(tmp_path / "results" / "released", make_record({}, method="grace+released"))
    [table] = named_tables(tmp_path, ["released"]).values()
    printed = [("cora", "raw"), ("cora", "grace")]  # of which there are no runs
    assert [row[:2] for row in table.rows] == [*printed, ("cora", "grace+released")]
    assert named_table("released", tmp_path / "results") == table


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean: foundation"):
        named_table("fundation", ROOT / "results")
