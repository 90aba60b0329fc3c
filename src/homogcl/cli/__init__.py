"""The command line: one function per command; each parses, calls and shows."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from homogcl import __version__
from homogcl.cli.advice import doctor, inspect
from homogcl.cli.catalog import list_names, show
from homogcl.cli.clean import clean
from homogcl.cli.clusters import clusters
from homogcl.cli.disk import to_disk
from homogcl.cli.explore import explore
from homogcl.cli.index import index
from homogcl.cli.neighbors import neighbors, saliency
from homogcl.cli.records import run
from homogcl.cli.settings import Command
from homogcl.cli.table import table
from homogcl.cli.training import demo, embed, evaluate, train
from homogcl.cli.tuning import tune
from homogcl.core.errors import UserError
from homogcl.core.memory import keep_freed_pages, shortage

app = typer.Typer(
    name="homogcl",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for command in (
    *(demo, train, evaluate, embed, index, neighbors, clusters, saliency, clean, explore, run),
    *(table, show, doctor, inspect, tune),
):
    app.command(cls=Command)(command)
app.command("list", cls=Command)(list_names)
app.command("to-disk", cls=Command)(to_disk)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"homogcl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Node embeddings from a graph without labels: HomoGCL and the methods it builds on."""


def main(application: typer.Typer = app) -> None:
    """Run a command line: a user's mistake is one line and exit code 2."""
    warnings.formatwarning = _one_line
    keep_freed_pages()
    try:
        application()
    except UserError as error:
        _fail(str(error), error.exit_code)
    except (MemoryError, RuntimeError) as error:
        line = shortage(error)
        if line is None:
            raise
        _fail(line)


def _fail(line: str, code: int = 2) -> None:
    print(f"error: {line}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _one_line(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: object = None
) -> str:
    return f"warning: {message}\n"
