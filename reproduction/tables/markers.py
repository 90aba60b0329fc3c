"""The place of a table in a Markdown file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.pages.table import Table, to_markdown


def insert_between_markers(text: str, name: str, table: Table) -> str:
    """Return `text` with the table in Markdown between its two markers.

    The markers are the lines `<!-- table:NAME -->` and `<!-- /table:NAME -->`; what stood
    between them is replaced.
    """
    start, end = f"<!-- table:{name} -->", f"<!-- /table:{name} -->"
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise UserError(f"the text needs one {start} with one {end} after it")
    before, rest = text.split(start)
    _, after = rest.split(end)
    return f"{before}{start}\n{to_markdown(table)}\n{end}{after}"


def insert_table(path: Path, name: str, table: Table) -> Path:
    """Put the table between its markers in the file at `path`, and return the path."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    return write_atomically(path, insert_between_markers(text, name, table).encode())


def stale_tables(path: Path, tables: Mapping[str, Table]) -> list[str]:
    """Return the names of the tables that the file at `path` does not show as they are now."""
    try:
        text = path.read_text(encoding="utf-8")
        return [
            name
            for name, table in tables.items()
            if insert_between_markers(text, name, table) != text
        ]
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
