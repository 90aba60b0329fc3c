"""A table as a value, and its renderings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from homogcl.evaluate.significance import Difference
from homogcl.runs.record import OF_FORMER, Summary


class PValue(float):
    """How often chance alone gives a difference of this size."""

    @property
    def text(self) -> str:
        """The value as people read it, with three decimals."""
        return "< 0.001" if self < 0.001 else f"{self:.3f}"


class Gain(NamedTuple):
    """A difference over the seeds of both, with the signs that a table explains."""

    difference: Difference
    mark: str = ""


Scalar = str | int | float | None
Cell = Scalar | Summary | Gain

ABSENT = "–"
NO_BETTER, AFTER_HOLM = "‡", "*"
# What signs mean: in a few words, and under the table.
LEGEND = {
    AFTER_HOLM: (
        "after Holm",
        "remains at 5 % after Holm's correction for all tests shown",
    ),
    OF_FORMER: ("former probe", "by the former probe; its runs await the present one"),
    NO_BETTER: (
        "no better than untrained",
        "no better than raw, random or propagation, which learn nothing, on the same data set, by "
        "the same probe, on common seeds or, with fewer than two of them, on average",
    ),
}
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
    OF_FORMER: r"$\dagger$",
    NO_BETTER: r"$\ddagger$",
}


@dataclass(frozen=True)
class Table:
    """Named columns and rows of cells."""

    columns: tuple[str, ...]  # their titles
    rows: tuple[tuple[Cell, ...], ...]  # one cell per column
    decimals: int  # how many decimals of a measured number are shown
    bold: frozenset[tuple[int, int]] = frozenset()  # rows and columns of emphasized cells
    notes: tuple[str, ...] = ()  # lines below, after those that explain the signs in its cells

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row needs one cell for each column")

    @property
    def legend(self) -> list[str]:
        """All lines under the table."""
        signs = {sign for row in self.rows for cell in row for sign in _mark(cell)}
        return [*(f"{sign} {LEGEND[sign][1]}" for sign in LEGEND if sign in signs), *self.notes]


def to_markdown(table: Table) -> str:
    """Return the table as a Markdown pipe table and its legend, without a final newline."""

    def escape(text: str) -> str:
        return text.replace("|", "&#124;")

    body = _text_rows(table, escape, "**{}**")
    lines = [[escape(title) for title in table.columns], ["---"] * len(table.columns), *body]
    notes = (note.replace(AFTER_HOLM, rf"\{AFTER_HOLM}") for note in table.legend)
    under = [line for note in notes for line in ("", note)]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), *under])


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX `tabular` that needs the package booktabs, and its legend."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(letter, letter) for letter in text)

    titles = [escape(title) for title in table.columns]
    header, *body = (
        " & ".join(line) + r" \\" for line in (titles, *_text_rows(table, escape, r"\textbf{{{}}}"))
    )
    begin = rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}"
    frame = [begin, r"\toprule", header, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    under = [rf"\par{{\footnotesize {escape(note)}}}" for note in table.legend]
    return "\n".join([*frame, *under])


def to_csv(table: Table) -> str:
    """Return the table as CSV at full precision, a summary or difference in several columns.

    Signs become words in a column of their own.
    """
    parts = [[_parts(cell) for cell in column] for column in zip(*table.rows, strict=True)]
    keys = [list(dict.fromkeys(key for cell in column for key in cell)) for column in parts]
    keys = keys or [[""] for _ in table.columns]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    titles = zip(table.columns, keys, strict=True)
    writer.writerow(f"{title} {key}".rstrip() for title, names in titles for key in names)
    for number in range(len(table.rows)):
        columns = zip(keys, parts, strict=True)
        writer.writerow(column[number].get(key) for names, column in columns for key in names)
    return out.getvalue()


def to_json(table: Table) -> str:
    """Return the table as JSON at full precision: its rows by column, and its legend."""
    rows = [
        {title: _value(cell) for title, cell in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]
    return json.dumps({"rows": rows, "notes": table.legend}, indent=2, ensure_ascii=False)


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
                escape(cell_text(cell, table.decimals))
            )
            for column, cell in enumerate(row)
        ]
        for number, row in enumerate(table.rows)
    ]


def cell_text(cell: Cell, decimals: int) -> str:
    """Return a cell as people read it: `83.04 ± 0.52 (10)`, `+1.20 [0.31, 2.09] (10)`."""
    if cell is None or cell == "":
        return ABSENT
    mark = f" {_mark(cell)}".rstrip()
    if isinstance(cell, Summary):
        spread = "" if cell.std is None else f" ± {cell.std:.{decimals}f}"
        return f"{cell.mean:.{decimals}f}{spread} ({cell.n}){mark}"
    if isinstance(cell, Gain):
        mean, _, n, low, high, _ = cell.difference
        interval = f" [{low:.{decimals}f}, {high:.{decimals}f}]" if low is not None else ""
        return f"{mean:+.{decimals}f}{interval} ({n}){mark}"
    if isinstance(cell, PValue):
        return cell.text
    return f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell)


def _mark(cell: Cell) -> str:
    return cell.mark if isinstance(cell, Summary | Gain) else ""


def _parts(cell: Cell) -> dict[str, Scalar]:
    """Return the columns of a cell by what follows the title: the value, and more about it."""
    if not isinstance(cell, Summary | Gain):
        return {"": cell}
    words = ", ".join(LEGEND[sign][0] for sign in cell.mark)
    if isinstance(cell, Summary):
        parts: dict[str, Scalar] = {"": cell.mean, "std": cell.std, "n": cell.n}
    else:
        mean, std, n, low, high, _ = cell.difference
        parts = {"": mean, "std": std, "n": n, "low": low, "high": high}
    return parts | ({"mark": words} if words else {})


def _value(cell: Cell) -> Scalar | dict[str, Scalar]:
    """Return a cell as JSON has it: one value, or several by name."""
    parts = _parts(cell)
    return {key or "mean": part for key, part in parts.items()} if len(parts) > 1 else parts[""]
