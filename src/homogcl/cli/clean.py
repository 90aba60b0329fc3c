"""Which edges of a graph look wrong, and the graph without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from homogcl.cli.files import with_files
from homogcl.cli.neighbors import show_edges
from homogcl.cli.options import Data, Json, OutputTable, Root, Seed

LOWEST = 100  # edges whose labels the summary looks at


@with_files
def clean(
    data: Data,
    files: Mapping[str, object],
    output: OutputTable = None,
    drop: Annotated[
        float, typer.Option(metavar="SHARE", help="Of the edges that NAME.rest.csv leaves out.")
    ] = 0.0,
    method: Annotated[str, typer.Option(help="Method that scores the edges.")] = "homogcl",
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List the edges of DATA by how wrong they look, most suspicious first; no run is needed.

    A method is fitted to DATA, and -o NAME.csv has its saliency of each edge. With --drop 0.1,
    NAME.rest.csv has all edges but the most suspicious tenth, for `homogcl train` to read.
    """
    from homogcl.core.errors import UserError
    from homogcl.data.names import original_ids
    from homogcl.homophily.edges import edge_saliency
    from homogcl.pages import terminal
    from homogcl.runs.export import check_no_source, write_table
    from homogcl.runs.request import Request
    from homogcl.runs.train import fit_run

    if not 0 <= drop < 1:
        raise UserError(f"--drop {drop:g} is no share of the edges: take 0 to below 1, such as 0.1")
    if drop and output is None:
        raise UserError("--drop writes NAME.rest.csv beside the output: give -o NAME.csv")
    rest_file = output.with_suffix(".rest.csv") if output is not None and drop else None
    run = Request(method, data, seed, root=root, files=files, tasks=()).resolve()
    for path in (output, rest_file):
        if path is not None:
            check_no_source(path, run)
    with terminal.training(run.title) as follow:
        trained = fit_run(run, on_epoch=follow)
    table = edge_saliency(trained.method, run.graph, seed=seed)
    rest = table.without_lowest(drop)
    if len(table.source) and not len(rest.source):
        raise UserError(f"--drop {drop:g} leaves none of {len(table.source):,} edges")
    ids = original_ids(run.graph)
    columns = table.columns(ids)
    tables = {output: columns, rest_file: rest.edge_list(ids)}
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
    show_edges(table, columns, summary)
    for path in paths:
        terminal.say(f"wrote {path}")
