"""An index, for nearest nodes among many."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from homogcl.cli.options import Json


def index(
    run: Path,
    k: Annotated[int, typer.Option("-k", min=1, help="Neighbors to look for in the trial.")] = 10,
    as_json: Json = False,
) -> None:
    """Index a run's embeddings, so that `neighbors` is fast, and say what share it finds."""
    from dataclasses import asdict

    from homogcl.pages import terminal
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.index import make_index

    terminal.result(asdict(make_index(RunFolder(run), k)), as_json=as_json)
