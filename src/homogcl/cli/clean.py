"""Which edges of a graph look wrong, and the graph without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homogcl.cli.files import with_files
from homogcl.cli.neighbors import edge_columns, lowest_edges, show_calibration
from homogcl.cli.options import Data, Json, Root, Seed, TableFile

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch_geometric.data import Data as Graph

    from homogcl.homophily.edges import EdgeSaliency

LOWEST = 100  # edges whose labels the summary looks at


@with_files
def clean(
    data: Data,
    files: Mapping[str, object],
    output: TableFile = None,
    drop: Annotated[
        float, typer.Option(metavar="SHARE", help="Of the edges, to leave out of NAME.rest.csv.")
    ] = 0.0,
    method: Annotated[str, typer.Option(help="Whose saliency to go by.")] = "homogcl",
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List the edges of DATA by how wrong they look, most suspicious first; no run is needed.

    A method is fitted to DATA, and -o NAME.csv has its saliency of each edge. With --drop 0.1,
    NAME.rest.csv has all edges but the most suspicious tenth, for `homogcl train` to read.
    """
    from homogcl.core.errors import UserError
    from homogcl.homophily.edges import edge_saliency
    from homogcl.pages import terminal
    from homogcl.runs.export import TABLES, check_ending, write_table
    from homogcl.runs.request import Request
    from homogcl.runs.train import fit_run

    if not 0 <= drop < 1:
        raise UserError(f"--drop {drop:g} is no share of the edges: take 0 to below 1, such as 0.1")
    if drop and output is None:
        raise UserError("--drop needs a file that the remaining edges lie beside: name it with -o")
    rest_file = output.with_suffix(".rest.csv") if output is not None and drop else None
    if output is not None:
        check_ending(output, TABLES)
    run = Request(method, data, seed, root=root, files=files, tasks=()).resolve()
    for path in (output, rest_file):
        if path is not None:
            _check_apart(path, data, run.graph, files)
    with terminal.training(run.title) as follow:
        trained = fit_run(run, on_epoch=follow)
    table = edge_saliency(trained.method, run.graph, seed=seed)
    rest = table.without_lowest(drop)
    if len(table.source) and not len(rest.source):
        raise UserError(f"--drop {drop:g} leaves none of {len(table.source):,} edges")
    columns = edge_columns(table, run.graph)
    tables = {output: columns, rest_file: _edge_list(rest, run.graph)}
    paths = [write_table(path, each) for path, each in tables.items() if path is not None]
    summary = {
        "edges": len(table.source),
        "dropped": len(table.source) - len(rest.source),
        "auc": table.summary()["auc"],
        "across_labels": table.share_across_labels(),
        f"across_labels_of_lowest_{LOWEST}": table.share_across_labels(LOWEST),
    }
    if as_json:
        calibration = [asdict(each) for each in table.calibration()]
        files_written = [str(path) for path in paths]
        report = {**summary, "calibration": calibration, "files": files_written}
        terminal.result(report, as_json=True)
        return
    if "report" in run.graph:
        terminal.say(f"read: {run.graph.report}\n")
    terminal.rows(lowest_edges(columns), as_json=False)
    terminal.result({k: v for k, v in summary.items() if v is not None}, as_json=False)
    show_calibration(table)
    for path in paths:
        terminal.say(f"wrote {path}")


def _edge_list(table: EdgeSaliency, graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of an edge list, in the order of the nodes."""
    import numpy as np

    from homogcl.data.load import original_ids

    names = np.array(original_ids(graph))
    order = np.lexsort((table.target, table.source))
    columns = {"source": names[table.source[order]], "target": names[table.target[order]]}
    return columns if table.weight is None else {**columns, "weight": table.weight[order]}


def _check_apart(path: Path, data: str, graph: Graph, files: Mapping[str, object]) -> None:
    """Refuse to write over a file that the graph was read from."""
    from homogcl.core.errors import UserError
    from homogcl.data.load import own_path

    place = own_path(data)
    if place is None:
        return
    folder = place if place.is_dir() else place.parent
    named = [files[key] for key in ("nodes", "features") if isinstance(files.get(key), str)]
    sources = {(folder / str(each)).resolve() for each in (*graph.files, *named)}
    if path.resolve() in sources:
        raise UserError(f"-o {path.name} would write over {path}, which the graph is read from")
