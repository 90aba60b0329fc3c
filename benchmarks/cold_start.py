"""Inference: rows of features alone, beside a GCN that needs their edges.

Nodes without edges are embedded by the default, and by an encoder without edges (an MLP). The graph
convolutions see all nodes at once, or the neighborhoods of a few nodes that are asked for.
"""

from __future__ import annotations

import statistics

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import k_hop_subgraph

from benchmarks.measures import Measured, built
from benchmarks.process import measure
from benchmarks.steps import Step, in_turns, over
from homogcl.core.seeds import stream
from homogcl.methods.base import Method
from homogcl.nn.sparse import take_rows

Row = tuple[str, float, str]
_DATA = ("cora", "pubmed", "photo", "computers")
_ASKED = 100  # nodes at a time
_HOPS = 2  # layers of the graph convolutions


def cold_start() -> list[Row]:
    """Compare inference by features alone with that of GRACE's graph convolutions."""
    rows: list[Row] = []
    for data in _DATA:
        taken = measure("cold_nodes", data)
        for what, key in (("all at once", "all"), (f"{_ASKED} at a time", "asked")):
            held = "at least 10" if key == "asked" else ""
            rows += [
                (f"{data}, {what}: nodes per second by graph convolutions", taken[key], ""),
                (f"{data}, {what}: the default over it", taken[f"default, {key}"], ""),
                (f"{data}, {what}: an MLP over it", taken[f"mlp, {key}"], held),
            ]
    return rows


def cold_nodes(data: str, rounds: int = 7) -> Measured:
    """Return nodes per second that graph convolutions embed, and the rates of others over it."""
    default, graph, _ = built("homogcl", data)
    default.prepare(graph, stream(0, "prepare"))
    methods = {"gcn": built("grace", data)[0], "mlp": built("grace", data, "encoder=mlp")[0]}
    methods["default"] = default
    nodes = int(graph.num_nodes or 0)
    asked = torch.randperm(nodes, generator=stream(0, "asked"))[:_ASKED]
    rates: Measured = {}
    with torch.no_grad():
        for key, some in (("all", torch.arange(nodes)), ("asked", asked)):
            steps = {name: _inference(each.eval(), graph, some) for name, each in methods.items()}
            steps["gcn"] = _with_neighbors(methods["gcn"], graph, some)
            taken = in_turns(steps, rounds)
            rates[key] = len(some) / statistics.median(taken["gcn"])
            rates |= {f"{each}, {key}": over(taken, "gcn", each) for each in ("default", "mlp")}
    return rates


def _inference(method: Method, graph: Data, some: Tensor) -> Step:
    """Return a step that embeds the nodes `some` by their features alone."""
    x = take_rows(graph.x, some)
    alone = Data(x=x, edge_index=graph.edge_index[:, :0], num_nodes=len(some))
    return lambda: method.embed(alone)


def _with_neighbors(method: Method, graph: Data, some: Tensor) -> Step:
    """Return a step that embeds the nodes `some` by the nodes that their convolutions reach."""
    if len(some) == graph.num_nodes:
        return lambda: method.embed(graph)

    def step() -> Tensor:
        near, edges, place, _ = k_hop_subgraph(
            some, _HOPS, graph.edge_index, relabel_nodes=True, num_nodes=graph.num_nodes
        )
        part = Data(x=take_rows(graph.x, near), edge_index=edges, num_nodes=len(near))
        return method.embed(part)[place]

    return step
