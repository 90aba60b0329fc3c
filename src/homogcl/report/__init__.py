"""Tables and pages made from records and arrays alone."""

from __future__ import annotations

from homogcl.report.table import (
    Table,
    insert_between_markers,
    stale_tables,
    to_csv,
    to_latex,
    to_markdown,
)
from homogcl.report.tables import classification_table, clustering_table, milestone_table

__all__ = [
    "Table",
    "classification_table",
    "clustering_table",
    "insert_between_markers",
    "milestone_table",
    "stale_tables",
    "to_csv",
    "to_latex",
    "to_markdown",
]
