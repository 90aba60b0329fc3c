"""A table as a value, and its three renderings."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from homogcl.runs.record import Summary


class PValue(float):
    """How often chance alone gives a difference of this size."""

    @property
    def text(self) -> str:
        """The value as people read it, with three decimals."""
        return "< 0.001" if self < 0.001 else f"{self:.3f}"


Cell = str | int | float | Summary | None

ABSENT = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
}


@dataclass(frozen=True)
class Table:
    """Named columns and rows of cells."""

    columns: tuple[str, ...]  # their titles
    rows: tuple[tuple[Cell, ...], ...]  # one cell per column
    decimals: int  # how many decimals of a measured number are shown
    bold: frozenset[tuple[int, int]] = frozenset()  # rows and columns of emphasized cells

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row needs one cell for each column")


def to_markdown(table: Table) -> str:
    """Return the table as a Markdown pipe table without a final newline."""

    def escape(text: str) -> str:
        return text.replace("|", "&#124;")

    body = _text_rows(table, escape, "**{}**")
    lines = [[escape(title) for title in table.columns], ["---"] * len(table.columns), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX `tabular` that needs the package booktabs."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(letter, letter) for letter in text)

    titles = [escape(title) for title in table.columns]
    header, *body = (
        " & ".join(line) + r" \\" for line in (titles, *_text_rows(table, escape, r"\textbf{{{}}}"))
    )
    begin = rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}"
    frame = [begin, r"\toprule", header, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(frame)


def to_csv(table: Table) -> str:
    """Return the table as CSV at full precision, a summary as mean, std and n in three columns."""
    wide = [
        any(isinstance(row[i], Summary) for row in table.rows) for i in range(len(table.columns))
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names: list[str] = []
    for column, is_wide in zip(table.columns, wide, strict=True):
        names += [column, f"{column} std", f"{column} n"] if is_wide else [column]
    writer.writerow(names)
    for row in table.rows:
        values: list[Cell] = []
        for cell, is_wide in zip(row, wide, strict=True):
            parts: tuple[Cell, ...] = tuple(cell) if isinstance(cell, Summary) else (cell,)
            values += (*parts, None, None)[:3] if is_wide else parts
        writer.writerow(values)
    return out.getvalue()


FORMATS: Mapping[str, Callable[[Table], str]] = {
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
}


def _text_rows(table: Table, escape: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return the rows as text; `bold` is the template of an emphasized cell."""
    return [
        [
            (bold if (number, column) in table.bold else "{}").format(
                escape(_text(cell, table.decimals))
            )
            for column, cell in enumerate(row)
        ]
        for number, row in enumerate(table.rows)
    ]


def _text(cell: Cell, decimals: int) -> str:
    """Return a cell as people read it: `83.04 ± 0.52 (10)` for ten seeds."""
    if cell is None or cell == "":
        return ABSENT
    if isinstance(cell, Summary):
        spread = "" if cell.std is None else f" ± {cell.std:.{decimals}f}"
        return f"{cell.mean:.{decimals}f}{spread} ({cell.n})"
    if isinstance(cell, PValue):
        return cell.text
    return f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell)
