"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homogcl.runs.tasks import task_names

Root = Annotated[Path | None, typer.Option(help="Folder of the data sets (else $HOMOGCL_DATA).")]
Set = Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated.")]
Preset = Annotated[
    str | None, typer.Option(help="Another preset, such as official, or a .toml file.")
]
Batch = Annotated[
    str | None,
    typer.Option(help="KIND[:SIZE]: full, parts, neighbors or metis, such as neighbors:1024."),
]
Form = Annotated[
    str | None,
    typer.Option(help="What embeddings consist of: last, layers+ax/unit and the like, or auto."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[str, typer.Argument(help="A data set's name, or the path of your own graph.")]
OtherData = Annotated[
    str | None, typer.Option("--data", help="Another graph, or where the run's own one lies now.")
]
TableFile = Annotated[Path | None, typer.Option("--output", "-o", help=".csv or .parquet")]
Seed = Annotated[int, typer.Option(min=0, help="Root seed of every random stream.")]


if TYPE_CHECKING:

    class Task(StrEnum):
        """The name of a task; which there are is known when the command line starts."""

        probe = "probe"

else:
    Task = StrEnum("Task", [(name.replace("-", "_"), name) for name in task_names()])


class Map(StrEnum):
    """How embeddings are laid out in the plane."""

    tsne = "tsne"
    umap = "umap"
    pca = "pca"
