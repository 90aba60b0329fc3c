"""Graphs that are mapped into memory, not read: from whatever `load` takes, or beyond memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Root

if TYPE_CHECKING:
    from homogcl.data.features import FeatureKind

Scale = Literal["auto", "row", "standard", "robust", "raw"]


@with_files
def to_disk(
    data: Data,
    folder: Annotated[Path, typer.Argument(help="Folder to write to.")],
    files: Mapping[str, object],
    features_as: Annotated[
        Scale | None,
        typer.Option(help="How features are scaled; row for data sets, auto for own files."),
    ] = None,
    edges: Annotated[
        str | None, typer.Option(help="Query for the edges, where DATA is a database.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Read tables beyond memory, with so much of it: 4GB."),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(help="Write a share of DATA, a graph on disk: 1/4, the first of four."),
    ] = None,
    root: Root = None,
) -> None:
    """Write a graph as a folder of arrays that later trainings map into memory, not read.

    DATA may also be a folder or glob of tables, a file of SQLite or DuckDB, postgres://USER@HOST/DB
    (the password in PGPASSWORD) or env:NAME, a variable that holds such an address: these, and all
    tables with --memory, are read without ever being whole in memory. With a database, --edges and
    --nodes are queries. A killed import goes on when it is started again. A share has the features
    of a range of nodes, for one of several hosts that train together.
    """
    from homogcl.data.load import load
    from homogcl.data.mapped import write_mapped
    from homogcl.data.streamed.databases import database_of
    from homogcl.data.streamed.streams import is_pattern
    from homogcl.pages import terminal

    if share is not None:
        options = {**files, "features-as": features_as, "edges": edges, "memory": memory}
        _cut(Path(data), folder, share, [name for name, value in options.items() if value])
        return
    tables = [data, *([str(files["nodes"])] if "nodes" in files else [])]
    beyond = memory or edges or database_of(data) or any(is_pattern(Path(t)) for t in tables)
    if beyond:
        settings = {**files, "edges": edges} if edges else files
        _stream(data, folder, settings, memory, features_as or "auto")
        return
    graph = load(data, root, features=features_as, files=files)
    write_mapped(graph, folder)
    terminal.say(f"wrote {graph.num_nodes:,} nodes, {graph.num_edges // 2:,} edges to {folder}")


def _cut(whole: Path, folder: Path, text: str, options: list[str]) -> None:
    from homogcl.core.errors import UserError
    from homogcl.data.mapped_share import write_share
    from homogcl.data.shared_rows import parse_share
    from homogcl.pages import terminal

    share = parse_share(text)
    if options:
        raise UserError(f"--share cuts a graph on disk; {', '.join(options)} belongs to its making")
    nodes = write_share(whole, folder, share).nodes
    rows = share.nodes(nodes)
    terminal.say(
        f"wrote share {share} to {folder}: features of {len(rows):,} of {nodes:,} nodes, all edges"
    )


def _stream(
    data: str,
    folder: Path,
    settings: Mapping[str, object],
    memory: str | None,
    features: FeatureKind,
) -> None:
    from homogcl.core.memory import available_bytes, parse_bytes
    from homogcl.core.signals import stopping
    from homogcl.data.streamed.graph import stream_graph, tables_of
    from homogcl.data.streamed.store import LEAST
    from homogcl.pages import terminal

    limit = parse_bytes(memory) if memory else max(LEAST, (available_bytes() or 0) // 2)
    tables = tables_of(data, settings)
    with stopping(lambda: "some stages"), terminal.counted_rows() as say:
        summary, notes = stream_graph(tables, folder, limit, say, features)
    terminal.say("; ".join([str(summary), *notes]))
    terminal.say(f"wrote {summary.nodes:,} nodes, {summary.edges:,} edges to {folder}")
