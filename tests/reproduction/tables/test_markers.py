"""A table stands between its markers, and a stale one is named."""

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.pages.table import Table, to_markdown
from homogcl.runs.record import Summary
from reproduction.tables.markers import insert_between_markers, insert_table, stale_tables

TABLE = Table(("Method", "Accuracy (%)"), (("grace", Summary(83.046, 0.5249, 10)),), decimals=2)
PAGE = "# Results\n\n<!-- table:main -->\nold\n<!-- /table:main -->\n\nAfterwards.\n"


def test_a_table_replaces_what_stood_between_its_markers() -> None:
    page = insert_between_markers(PAGE, "main", TABLE)
    assert page == PAGE.replace("old", to_markdown(TABLE))
    assert insert_between_markers(page, "main", TABLE) == page


@pytest.mark.parametrize(
    "page",
    [
        "nothing",
        "<!-- table:main -->",
        "<!-- /table:main --><!-- table:main -->",
        PAGE + PAGE,
        PAGE.replace("main", "other"),
    ],
)
def test_markers_must_be_there_once_and_in_order(page: str) -> None:
    with pytest.raises(UserError, match="<!-- table:main -->"):
        insert_between_markers(page, "main", TABLE)


def test_stale_tables_are_named(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    both = insert_between_markers(PAGE, "main", TABLE) + PAGE.replace("main", "other")
    path.write_text(both, encoding="utf-8")
    assert stale_tables(path, {"main": TABLE, "other": TABLE}) == ["other"]
    path.write_text(insert_between_markers(both, "other", TABLE), encoding="utf-8")
    assert stale_tables(path, {"main": TABLE, "other": TABLE}) == []
    with pytest.raises(UserError, match=r"page\.md: .*table:absent"):
        stale_tables(path, {"absent": TABLE})
    with pytest.raises(UserError, match=r"cannot read .*nowhere\.md"):
        stale_tables(tmp_path / "nowhere.md", {"main": TABLE})


def test_a_table_is_put_into_a_file(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    assert insert_table(path, "main", TABLE) == path
    assert path.read_text("utf-8") == insert_between_markers(PAGE, "main", TABLE)
    with pytest.raises(UserError, match=r"cannot read .*nowhere\.md"):
        insert_table(tmp_path / "nowhere.md", "main", TABLE)
    with pytest.raises(UserError, match="table:absent"):
        insert_table(path, "absent", TABLE)
    assert path.read_text("utf-8") == insert_between_markers(PAGE, "main", TABLE)
