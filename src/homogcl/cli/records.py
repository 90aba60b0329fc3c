"""Grids of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Preset, Root, Task
from homogcl.cli.settings import with_settings


@with_files
@with_settings
def run(
    methods: list[str],
    data: Annotated[
        list[str], typer.Option("--data", help="Data set or path of your own; may be repeated.")
    ],
    files: Mapping[str, object],
    overrides: Mapping[str, object],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 0 to n-1.")] = 5,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    preset: Preset = None,
    tasks: Annotated[list[Task] | None, typer.Option("--task", help="What to score.")] = None,
    milestones: Annotated[str, typer.Option(help="Epochs to score at, such as 20,50.")] = "",
    root: Root = None,
) -> None:
    """Train and evaluate every method on every data set and seed; finished cells are skipped."""
    from homogcl.pages import terminal
    from homogcl.runs.grid import run_cell
    from homogcl.runs.request import Request
    from homogcl.runs.tasks import DEFAULT_TASKS

    epochs = _epochs(milestones)
    scored = tuple(task.value for task in tasks) if tasks else DEFAULT_TASKS
    # Resolve all cells first, so that mistakes show before any training.
    cells = [
        Request(method, name, seed, overrides, preset, epochs, scored, root, files).resolve(
            by_size=False
        )
        for name in data
        for method in methods
        for seed in range(seeds)
    ]
    with terminal.grid(len(cells)) as show:
        while cells:
            cell = cells.pop(0)  # and with it, in the end, its graph
            record, ran = run_cell(cell, results, show.epoch(cell.title))
            show.cell(record, ran=ran)


def _epochs(text: str) -> tuple[int, ...]:
    from homogcl.core.errors import UserError

    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UserError(f"--milestones {text!r}: give whole numbers such as 20,50,100") from None
