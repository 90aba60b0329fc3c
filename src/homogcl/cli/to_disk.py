"""Graphs written out to stay on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Root


@with_files
def to_disk(
    data: Data,
    folder: Annotated[Path, typer.Argument(help="Folder to write to.")],
    files: Mapping[str, object],
    features_as: Annotated[
        Literal["row", "raw"],
        typer.Option(help="row divides each row of features by its sum, raw leaves them."),
    ] = "row",
    root: Root = None,
) -> None:
    """Write a graph as a folder of arrays that later trainings map into memory, not read."""
    from homogcl.data.load import load
    from homogcl.data.mapped import write_mapped
    from homogcl.pages import terminal

    graph = load(data, root, features=features_as, files=files)
    write_mapped(graph, folder)
    terminal.say(f"wrote {graph.num_nodes:,} nodes, {graph.num_edges // 2:,} edges to {folder}")
