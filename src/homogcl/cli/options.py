"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

Root = Annotated[Path | None, typer.Option(help="Folder of the data sets (else $HOMOGCL_DATA).")]
Set = Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated.")]
Preset = Annotated[str | None, typer.Option(help="An alternative preset, such as official.")]
Batch = Annotated[
    str | None,
    typer.Option(help="KIND[:SIZE]: full, parts, neighbors or metis, such as neighbors:1024."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[str, typer.Argument(help="A data set's name, or the path of your own graph.")]
OtherData = Annotated[
    str | None,
    typer.Option("--data", help="Another graph, or where the run's own one lies now."),
]
Seed = Annotated[int, typer.Option(min=0, help="Root seed of every random stream.")]


class Task(StrEnum):
    """What an embedding is evaluated on."""

    probe = "probe"
    cluster = "cluster"
    cluster_raw = "cluster-raw"
    knn = "knn"
    links = "links"
    similarity = "similarity"
    saliency = "saliency"
    unlabeled = "unlabeled"


class Map(StrEnum):
    """How embeddings are laid out in the plane."""

    tsne = "tsne"
    umap = "umap"
    pca = "pca"
