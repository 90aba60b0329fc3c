"""Which nodes are near each other, and which edges look wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from homogcl.cli.options import Json, OtherData, Root, Set
from homogcl.core.config import parse_overrides, validated
from homogcl.core.errors import UserError, nearest
from homogcl.data.load import original_ids
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.homophily.edges import edge_saliency
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.pages import terminal
from homogcl.runs.export import TABLES, check_ending, write_table
from homogcl.runs.folder import RunFolder

SHOWN = 10  # edges on the terminal
Table = Annotated[Path | None, typer.Option("--output", "-o", help=".csv or .parquet")]


def neighbors(
    run: Path,
    nodes: Annotated[list[str] | None, typer.Argument(help="Ids; all nodes with -o.")] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many for each node.")] = 10,
    output: Table = None,
    as_json: Json = False,
) -> None:
    """Show the nodes of a run's graph whose embeddings are nearest to those of NODES, by cosine."""
    folder = RunFolder(run)
    ids = folder.ids()
    if output is None and not nodes:
        raise UserError("name at least one node, or a file for all of them with -o")
    if output is not None:
        check_ending(output, TABLES)
    asking = np.array(_numbers(nodes, ids) if nodes else range(len(ids)))
    found, cosines = nearest_neighbors(folder.embeddings(), k, asking)
    names = np.array(ids)
    columns: dict[str, npt.NDArray[Any]] = {
        "id": names[asking.repeat(found.size(1))],
        "rank": np.tile(np.arange(found.size(1)) + 1, len(asking)),
        "neighbor": names[found.flatten().numpy()],
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
        shown = [{key: _shown(value) for key, value in row.items()} for row in rows]
        terminal.rows(shown, as_json=False)


def saliency(
    run: Path,
    output: Table = None,
    data: OtherData = None,
    settings: Set = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Say how surely the ends of each edge belong together, the most suspicious edges first."""
    if output is not None:
        check_ending(output, TABLES)
    folder = RunFolder(run)
    spec = folder.request(root, data)
    graph, method = folder.graph(spec), folder.method()
    clusters = _clusters(folder.settings()["method"], settings or [])
    table = edge_saliency(method, graph, config=clusters, seed=spec.seed)
    names = np.array(original_ids(graph))
    same = [None if each < 0 else bool(each) for each in table.same_label]
    source, target = names[table.source], names[table.target]
    columns: dict[str, Sequence[object] | npt.NDArray[Any]] = {
        "source": source,
        "target": target,
        "saliency": table.saliency,
        "same_label": same,
    }
    if output is not None:
        write_table(output, columns)
    summary = table.summary()
    if as_json:
        typer.echo(json.dumps(summary))
        return
    terminal.rows(
        [
            {
                "source": str(source[edge]),
                "target": str(target[edge]),
                "saliency": f"{table.saliency[edge]:.4f}",
                "same label": {None: "", True: "yes", False: "no"}[same[edge]],
            }
            for edge in range(min(SHOWN, len(same)))
        ],
        as_json=False,
    )
    terminal.result({k: v for k, v in summary.items() if v is not None}, as_json=False)
    if output is not None:
        terminal.say(f"wrote {output}")


def _numbers(nodes: Sequence[str], ids: Sequence[str] | Sequence[int]) -> list[int]:
    place = {str(each): number for number, each in enumerate(ids)}
    for node in nodes:
        if node not in place:
            raise UserError(f"no node {node!r} in the run's graph{_hint(node, place)}")
    return [place[node] for node in nodes]


def _hint(node: str, known: dict[str, int]) -> str:
    hint = nearest(node, known)
    # A list of all nodes would help nobody.
    return hint if hint.startswith(" (did you mean") else f" of {len(known):,} nodes"


def _clusters(of_run: Mapping[str, object], settings: Sequence[str]) -> HomoGCL.Config | None:
    """Return the settings of clusters: those of the run, and over them those that were typed."""
    if not settings:
        return None
    fields = HomoGCL.Config.model_fields
    overrides = parse_overrides(settings)
    for key in overrides:
        if key not in fields:
            raise UserError(f"no setting {key!r}{nearest(key, fields)}")
    trained = {key: value for key, value in of_run.items() if key in fields}
    return validated(HomoGCL.Config, {**trained, **overrides})


def _shown(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
