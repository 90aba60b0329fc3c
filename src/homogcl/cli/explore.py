"""A page to look at a run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Json, OtherData, Root


@with_files
def explore(
    run: Path,
    files: Mapping[str, object],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="HTML file (else in RUN).")
    ] = None,
    way: Annotated[
        Literal["tsne", "umap", "pca"], typer.Option("--map", help="How embeddings are laid out.")
    ] = "tsne",
    most_nodes: Annotated[
        int | None, typer.Option(min=1, help="Nodes shown of a larger graph (else 200,000).")
    ] = None,
    data: OtherData = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Write one HTML page to look around in the embeddings of a run.

    With --data it is a page of another graph, which the run's method embeds.
    """
    from homogcl.pages import terminal
    from homogcl.pages.explore import MOST_NODES
    from homogcl.pages.explore import explore as explorer_of
    from homogcl.pages.explore_page import write_page
    from homogcl.runs.folder import RunFolder

    start = time.perf_counter()
    folder = RunFolder(run)
    request = folder.request(root, data, files)
    name = "explore.html" if data is None else f"explore-{request.name}.html"
    path = output or run / name
    with terminal.stages() as follow:
        most = most_nodes or MOST_NODES
        explorer = explorer_of(folder, way, request, most_nodes=most, follow=follow)
        write_page(path, explorer)
    seconds, size = time.perf_counter() - start, path.stat().st_size
    if as_json:
        nodes = len(explorer.nodes.ids)
        report = {"page": str(path), "nodes": nodes, "bytes": size, "seconds": round(seconds, 1)}
        terminal.result(report, as_json=True)
    else:
        terminal.say(f"wrote {path} ({size / 1e6:.1f} MB) in {seconds:.0f} s; open it in a browser")
