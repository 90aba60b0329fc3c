"""Tables of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from homogcl.cli.options import Json

AsFormat = Annotated[
    Literal["markdown", "latex", "csv"], typer.Option("--format", help="How to write it.")
]


def table(
    results: Annotated[
        list[Path], typer.Argument(help="Folders or files of what `homogcl run` wrote.")
    ],
    metric: Annotated[str, typer.Option(help="What to compare by.")] = "test_accuracy",
    base: Annotated[
        str | None, typer.Option(help="Row to compare the others with, such as grace.")
    ] = None,
    form: AsFormat = "markdown",
    as_json: Json = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> None:
    """Compare methods by their records: mean ± standard deviation (seeds) and epochs per data set.

    With --base, also the difference over the seeds of both with its 95 % interval, its p-value
    (paired t-test), and which of them Holm's correction leaves.
    """
    from homogcl.core.errors import UserError
    from homogcl.core.files import write_atomically
    from homogcl.pages.results_table import results_table
    from homogcl.pages.table import FORMATS, to_json
    from homogcl.runs.record import read_records

    records = [record for folder in results for record in read_records(folder)]
    if not records:
        folders = ", ".join(map(str, results))
        raise UserError(f"no records in {folders}: give the folder that `homogcl run` wrote to")
    write = to_json if as_json else FORMATS[form]
    text = write(results_table(records, metric, base)).rstrip("\n") + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"wrote {write_atomically(output, text.encode())}")
