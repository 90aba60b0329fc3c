"""Tables of records."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How a table is written."""

    markdown = "markdown"
    latex = "latex"
    csv = "csv"


AsFormat = Annotated[Format, typer.Option("--format", help="How to write it.")]


def table(
    results: Annotated[
        list[Path], typer.Argument(help="Folders of records that `homogcl run` wrote.")
    ],
    metric: Annotated[str, typer.Option(help="What to compare by.")] = "test_accuracy",
    base: Annotated[
        str | None, typer.Option(help="Row to compare the others with, such as grace.")
    ] = None,
    form: AsFormat = Format.markdown,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> None:
    """Compare methods by their records: mean ± standard deviation (seeds) per data set.

    With --base, also the difference over the seeds of both and its p-value (paired t-test).
    """
    from homogcl.core.errors import UserError
    from homogcl.core.files import write_atomically
    from homogcl.pages.results_table import results_table
    from homogcl.pages.table import FORMATS
    from homogcl.runs.record import read_records

    records = [record for folder in results for record in read_records(folder)]
    if not records:
        folders = ", ".join(map(str, results))
        raise UserError(f"no records in {folders}: give the folder that `homogcl run` wrote to")
    text = FORMATS[form.value](results_table(records, metric, base)).rstrip("\n") + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"wrote {write_atomically(output, text.encode())}")
