"""Which nodes belong together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Json, OtherData, OutputTable, Root


@with_files
def clusters(
    run: Path,
    files: Mapping[str, object],
    output: OutputTable = None,
    k: Annotated[
        int | None, typer.Option("-k", min=1, help="Number of clusters (else the most modular).")
    ] = None,
    data: OtherData = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Assign each node of a run's graph, or of another one, to a cluster of the embeddings.

    Without -k there are as many clusters, up to 30, as give the highest modularity; no label is
    looked at. With -o, a file has the cluster of each node beside its id.
    """
    import torch

    from homogcl.core.seeds import stream
    from homogcl.data.names import original_ids
    from homogcl.homophily.partition import partition
    from homogcl.methods.inference import embeddings
    from homogcl.pages import terminal
    from homogcl.runs.export import write_table
    from homogcl.runs.folder import RunFolder

    model, graph = RunFolder(run).model_and_graph(root, data, files)
    z = embeddings(model.method, graph, model.form).cpu()
    nodes = partition(z, graph.edge_index.cpu(), stream(model.seed, "partition"), k)
    sizes = torch.bincount(nodes.cluster, minlength=nodes.count).tolist()
    if output is not None:
        write_table(output, {"id": original_ids(graph), "cluster": nodes.cluster.numpy()})
    summary = {"clusters": nodes.count, "modularity": nodes.modularity}
    if as_json:
        terminal.result({**summary, "sizes": sizes}, as_json=True)
        return
    terminal.result({**summary, "sizes": " ".join(map(str, sizes))}, as_json=False)
    if output is not None:
        terminal.say(f"wrote {output}")
