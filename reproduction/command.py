"""The paper's tables and figures by one command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from homogcl.advice.estimate import duration
from homogcl.core.errors import UserError
from homogcl.core.files import only_process_in
from homogcl.core.signals import stopping
from homogcl.pages import terminal
from reproduction.artifact import Artifact
from reproduction.catalog import NAMES, chosen
from reproduction.grid import cells_of, record_cells
from reproduction.index import write_index


def reproduce(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help=", ".join(NAMES))],
    quick: Annotated[
        bool, typer.Option(help="On a small generated graph, for few steps: minutes, no results.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for tables and figures.")] = Path(
        "reproduction"
    ),
    results: Annotated[
        Path | None, typer.Option(help="Folder of records (else results; OUT/results if quick).")
    ] = None,
    train: Annotated[
        bool, typer.Option(help="Run what has no record yet; else show the records there are.")
    ] = True,
) -> None:
    """Make tables and figures of the paper (all) or of the study beyond it, with their trainings.

    Trainings whose records are there are not run again, so that the same command goes on where it
    was stopped. One that fails is named, and the others go on. index.md lists what was made.
    """
    artifacts = chosen(names)
    if quick and results is not None:
        raise UserError("--quick keeps its records below --out: leave out --results")
    records = results or (out / "results" if quick else Path("results"))
    cells = cells_of(artifacts, quick=quick) if train else []
    started = time.perf_counter()
    with only_process_in(out):
        with (
            terminal.grid(len(cells)) as show,
            stopping(lambda: f"{show.done} of {len(cells)} trainings"),
        ):
            failures = record_cells(cells, records, show)
        written = _write(artifacts, records, out, quick)
        index = write_index(artifacts, written, records, out, quick=quick)
    files = [path for each in written.values() for path in each]
    for path in [*files, index]:
        terminal.say(f"wrote {path}")
    taken = duration(time.perf_counter() - started)
    terminal.say(f"{len(files)} files from {len(cells) - failures} trainings in {taken}")
    unwritten = len(artifacts) - len(written)
    if failures or unwritten:
        raise UserError(
            f"{failures} of {len(cells)} trainings and {unwritten} of {len(artifacts)} tables and "
            "figures failed; the lines above say why"
        )


def _write(
    artifacts: list[Artifact], results: Path, out: Path, quick: bool
) -> dict[str, list[Path]]:
    """Return the files that were written, by artifact; one that could not be is named."""
    written: dict[str, list[Path]] = {}
    for artifact in artifacts:
        try:
            written[artifact.name] = artifact.write(results, out, quick)
        except UserError as error:
            terminal.note(f"failed: {artifact.name}: {error}")
    return written
