"""The command line of the reproduction: it parses, calls and shows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from homogcl.advice.estimate import duration
from homogcl.cli.table import AsFormat
from homogcl.core.errors import UserError
from homogcl.core.files import only_process_in
from homogcl.core.signals import stopping
from homogcl.pages import terminal
from homogcl.pages.table import FORMATS
from reproduction.artifact import Artifact
from reproduction.catalog import NAMES, artifacts_called
from reproduction.grid import record_trainings, trainings_of
from reproduction.index import write_index
from reproduction.prose import pages as pages_of
from reproduction.prose import rewrite, stale
from reproduction.rescore import Selection, former_table, trainings_again
from reproduction.tables.markers import insert_table
from reproduction.tables.named import TABLES, named_table, rewrite_tables

Results = Annotated[Path, typer.Option(help="Folder of records.")]


class _MakeByDefault(TyperGroup):
    """A group of commands that reads a name that is no command as `make NAME`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "--help"}:
            args = ["make", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="reproduction",
    cls=_MakeByDefault,
    help="Tables and figures of the paper and of the study beyond it. "
    "`python -m reproduction NAME...` is short for `make NAME...`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command()
def make(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help=", ".join(NAMES))],
    quick: Annotated[
        bool, typer.Option(help="On a small generated graph, for few steps: minutes, no results.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for tables and figures.")] = Path("reproduced"),
    results: Annotated[
        Path | None, typer.Option(help="Folder of records (else results; OUT/results if quick).")
    ] = None,
    train: Annotated[
        bool, typer.Option(help="Run trainings without a record; else use the records there are.")
    ] = True,
) -> None:
    """Make tables and figures of the paper (all) or of the study beyond it, with their trainings.

    The word `make` may be left out. Trainings with records do not run again, so the same command
    continues where it stopped. Failed trainings are named, and the others go on. index.md lists
    the files.
    """
    artifacts = artifacts_called(names)
    if quick and results is not None:
        raise UserError("--quick keeps its records below --out: leave out --results")
    records = results or (out / "results" if quick else Path("results"))
    trainings = trainings_of(artifacts, quick=quick) if train else []
    start_time = time.perf_counter()
    with only_process_in(out):
        with (
            terminal.grid(len(trainings)) as show,
            stopping(lambda: f"{show.done} of {len(trainings)} trainings"),
        ):
            failures = record_trainings(trainings, records, show)
        written = _write(artifacts, records, out, quick)
        index = write_index(artifacts, written, records, out, quick=quick)
    files = [path for each in written.values() for path in each]
    for path in [*files, index]:
        terminal.say(f"wrote {path}")
    seconds = time.perf_counter() - start_time
    count = len(trainings) - failures
    terminal.say(f"{len(files)} files from {count} trainings in {duration(seconds)}")
    unwritten = len(artifacts) - len(written)
    if failures or unwritten:
        raise UserError(
            f"{failures} of {len(trainings)} trainings and {unwritten} of {len(artifacts)} tables "
            "and figures failed; the lines above say why"
        )


@app.command()
def table(
    name: Annotated[str, typer.Argument(metavar="NAME", help=", ".join(TABLES))],
    results: Results = Path("results"),
    form: AsFormat = "markdown",
    insert: Annotated[Path | None, typer.Option(help="File with markers to fill in.")] = None,
) -> None:
    """Print a table that README or docs show, or put it between its markers in a file."""
    value = named_table(name, results)
    if insert is None:
        typer.echo(FORMATS[form](value))
        return
    insert_table(insert, name, value)
    terminal.say(f"wrote the table {name} into {insert}")


@app.command()
def rescore(
    folders: Annotated[
        list[str], typer.Argument(metavar="FOLDER...", help="Below the folder of records.")
    ],
    data: Annotated[list[str] | None, typer.Option(help="Data sets, else all.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Methods, else all.")] = None,
    seconds: Annotated[
        float, typer.Option(help="Leave settings that took longer in the mean.", min=0)
    ] = 60.0,
    seeds: Annotated[
        int | None, typer.Option(help="The first seeds of each setting, else all.", min=1)
    ] = None,
    results: Results = Path("results"),
    train: Annotated[bool, typer.Option(help="Run the trainings; else only count them.")] = True,
) -> None:
    """Train again, and score by the present probe, what only the former one has scored.

    A record is replaced once its new one is whole, so the same command continues where it stopped.
    """
    selection = Selection(folders, data or (), method or (), seconds, seeds)
    counts = former_table(selection, results)
    if not counts.rows:
        terminal.say("no such record is by the former probe alone")
        return
    typer.echo(FORMATS["markdown"](counts))
    trainings = trainings_again(selection, results) if train else []
    with (
        terminal.grid(len(trainings)) as show,
        stopping(lambda: f"{show.done} of {len(trainings)} trainings"),
    ):
        failures = record_trainings(trainings, results, show)
    if failures:
        raise UserError(f"{failures} of {len(trainings)} trainings failed; the lines above say why")


@app.command()
def pages(
    root: Annotated[Path, typer.Option(help="Folder with README, docs and results.")] = Path(),
) -> None:
    """Write all tables and numbers of README and docs anew, and name what no longer holds."""
    every = pages_of(root)
    for page in sorted({*rewrite_tables(root, every), *rewrite(root)}):
        terminal.say(f"wrote {page}")
    broken = [claim for page in every for claim in stale(page, root)]
    for claim in broken:
        terminal.note(claim)
    if broken:
        raise UserError(f"{len(broken)} claims of README and docs do not hold any more")


def _write(
    artifacts: list[Artifact], results: Path, out: Path, quick: bool
) -> dict[str, list[Path]]:
    """Write the files and return them by artifact; name the artifacts that fail."""
    written: dict[str, list[Path]] = {}
    for artifact in artifacts:
        try:
            written[artifact.name] = artifact.write(results, out, quick)
        except UserError as error:
            terminal.note(f"failed: {artifact.name}: {error}")
    return written
