"""Which nodes are near each other, and which edges look wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Json, OtherData, OutputTable, Root, Set

if TYPE_CHECKING:
    import numpy.typing as npt

    from homogcl.homophily.edges import EdgeSaliency

SHOWN = 10  # edges on the terminal


@with_files
def neighbors(
    run: Path,
    files: Mapping[str, object],
    of: Annotated[
        list[str] | None, typer.Argument(metavar="NODES", help="Ids; all nodes with -o.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many for each node.")] = 10,
    output: OutputTable = None,
    data: OtherData = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Compare with all nodes, even where there is an index.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show the nodes of a run's graph whose embeddings are nearest to those of NODES, by cosine.

    With --data they are nodes of another graph, which the run's method embeds. Where `index` has
    made an index of the run, it is used.
    """
    import numpy as np
    import torch

    from homogcl.core.errors import UserError
    from homogcl.evaluate.neighbors import nearest_neighbors
    from homogcl.pages import terminal
    from homogcl.runs.export import write_table
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.index import index_of
    from homogcl.runs.node_rows import node_rows

    folder = RunFolder(run)
    if output is None and not of:
        raise UserError("name at least one node, or a file for all of them with -o")
    ids, z = folder.vectors(root, data, files)
    queries = node_rows(of, len(ids), ids) if of else np.arange(len(ids))
    index = None if exact or data is not None else index_of(folder)
    # As a tensor, embeddings that lie on disk are not copied.
    indices, cosines = nearest_neighbors(torch.from_numpy(z), k, queries, index=index)
    asking = np.array([ids[number] for number in queries])
    columns: dict[str, npt.NDArray[Any]] = {
        "id": asking.repeat(indices.size(1)),
        "rank": np.tile(np.arange(indices.size(1)) + 1, len(queries)),
        "neighbor": np.array([ids[number] for number in indices.flatten().tolist()]),
        "cosine": cosines.flatten().numpy(),
    }
    if output is not None:
        terminal.say(f"wrote {write_table(output, columns)}")
        return
    lists = [column.tolist() for column in columns.values()]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    if as_json:
        typer.echo(json.dumps(rows))
    else:
        texts = [{key: _text(value) for key, value in row.items()} for row in rows]
        terminal.rows(texts, as_json=False)


@with_files
def saliency(
    run: Path,
    files: Mapping[str, object],
    output: OutputTable = None,
    data: OtherData = None,
    settings: Set = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Say how surely the ends of each edge belong together, the most suspicious edges first."""
    from homogcl.core.config import parse_overrides
    from homogcl.data.names import original_ids
    from homogcl.homophily.edges import cluster_config, edge_saliency
    from homogcl.pages import terminal
    from homogcl.runs.export import write_table
    from homogcl.runs.folder import RunFolder

    folder = RunFolder(run)
    model, graph = folder.model_and_graph(root, data, files)
    overrides = parse_overrides(settings or [])
    clusters = cluster_config(folder.settings()["method"], overrides) if overrides else None
    table = edge_saliency(model.method, graph, config=clusters, seed=model.seed)
    columns = table.columns(original_ids(graph))
    if output is not None:
        write_table(output, columns)
    summary = table.summary()
    if as_json:
        calibration = [asdict(each) for each in table.calibration()]
        typer.echo(json.dumps({**summary, "calibration": calibration}))
        return
    show_edges(table, columns, summary)
    if output is not None:
        terminal.say(f"wrote {output}")


def show_edges(
    table: EdgeSaliency, columns: Mapping[str, Sequence[Any]], summary: Mapping[str, object]
) -> None:
    """Print the first edges, what is known of all, and how often each saliency is right."""
    from homogcl.pages import terminal

    terminal.rows(_first_edges(columns), as_json=False)
    terminal.result({k: v for k, v in summary.items() if v is not None}, as_json=False)
    rows = [
        {
            "saliency": f"{each.low:g} to {each.high:g}",
            "edges": f"{each.edges:,}",
            "mean saliency": f"{each.saliency:.0%}",
            "same label": f"{each.same_label:.0%}",
        }
        for each in table.calibration()
    ]
    if rows:
        terminal.say("")
        terminal.rows(rows, as_json=False)


def _first_edges(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, str]]:
    """Return the first edges as the terminal shows them."""
    rows = zip(*(column[:SHOWN] for column in columns.values()), strict=True)
    return [
        {
            "source": str(source),
            "target": str(target),
            "saliency": f"{saliency:.4f}",
            "same label": {None: "", True: "yes", False: "no"}[same],
        }
        for source, target, saliency, same in rows
    ]


def _text(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
