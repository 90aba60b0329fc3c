"""Figures of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from homogcl.core.errors import UnknownName
from homogcl.pages import terminal
from reproduction.figures import FIGURES


def figure(
    name: str,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    out: Annotated[Path, typer.Option(help="Folder of the pictures.")] = Path("figures"),
    quick: Annotated[bool, typer.Option("--quick", help="Of the quick form's records.")] = False,
) -> None:
    """Draw a figure of the paper, as PNG and SVG, from records: nothing is trained."""
    if name not in FIGURES:
        raise UnknownName("figure", name, FIGURES)
    for path in FIGURES[name].write(results, out, quick):
        terminal.say(f"wrote {path}")
