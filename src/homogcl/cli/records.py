"""Grids of runs, and tables of their records."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from homogcl import display
from homogcl.cli.files import with_files
from homogcl.cli.options import Preset, Root, Set, Task
from homogcl.errors import UnknownName, UserError
from homogcl.report.readme import TABLES, named_table
from homogcl.report.readme import insert as insert_table
from homogcl.report.table import to_csv, to_latex, to_markdown
from homogcl.run import run_cell
from homogcl.settings import parse_overrides
from homogcl.spec import RunSpec
from homogcl.tasks import DEFAULT_TASKS


class Format(StrEnum):
    """How a table is written."""

    markdown = "markdown"
    latex = "latex"
    csv = "csv"


@with_files
def run(
    methods: list[str],
    data: Annotated[
        list[str], typer.Option("--data", help="Data set or path of your own; may be repeated.")
    ],
    files: Mapping[str, object],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 0 to n-1.")] = 5,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    settings: Set = None,
    preset: Preset = None,
    tasks: Annotated[list[Task] | None, typer.Option("--task", help="What to score.")] = None,
    milestones: Annotated[str, typer.Option(help="Epochs to score at, such as 20,50.")] = "",
    root: Root = None,
) -> None:
    """Train and evaluate every method on every data set and seed; finished cells are skipped."""
    overrides = parse_overrides(settings or [])
    epochs = _epochs(milestones)
    scored = tuple(task.value for task in tasks) if tasks else DEFAULT_TASKS
    cells = [
        RunSpec(method, name, seed, overrides, preset, epochs, scored, root, files)
        for name in data
        for method in methods
        for seed in range(seeds)
    ]
    for spec in cells:
        spec.settings()  # what is wrong is said before the first hour, not after it
    with display.grid(len(cells)) as show:
        for spec in cells:
            record, ran = run_cell(spec, results, show.epoch(f"{spec.method} on {spec.name}"))
            show.cell(record, ran=ran)


def table(
    name: str,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.markdown,
    insert: Annotated[Path | None, typer.Option(help="File with markers to fill in.")] = None,
) -> None:
    """Print a table made of records, or put it between its markers in a file."""
    if name not in TABLES:
        raise UnknownName("table", name, TABLES)
    made = named_table(name, results)
    if insert is not None:
        insert_table(insert, name, made)
        display.say(f"wrote the table {name} into {insert}")
        return
    write = {Format.markdown: to_markdown, Format.latex: to_latex, Format.csv: to_csv}[form]
    typer.echo(write(made))


def _epochs(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UserError(f"--milestones {text!r}: give whole numbers such as 20,50,100") from None
