"""Inference: rows of features alone by the default, beside a GCN that needs their edges."""

from __future__ import annotations

import statistics

import torch
from torch_geometric.data import Data

from benchmarks.measures import Measured, built
from benchmarks.process import measure
from benchmarks.steps import in_turns, over
from homogcl.core.seeds import stream

Row = tuple[str, float, str]
_DATA = ("cora", "pubmed", "photo", "computers")


def cold_start() -> list[Row]:
    """Compare inference by features alone with that of GRACE's graph convolutions."""
    rows: list[Row] = []
    for data in _DATA:
        taken = measure("cold_nodes", data)
        rows += [
            (f"{data}: nodes a second by features alone", taken["nodes"], ""),
            (f"{data}: nodes a second by graph convolutions", taken["nodes_gcn"], ""),
            (f"{data}: the first over the second", taken["ratio"], "at least 10"),
        ]
    return rows


def cold_nodes(data: str, rounds: int = 7) -> Measured:
    """Return nodes a second that both methods embed, in turns, and the ratio of these rates."""
    default, graph, _ = built("homogcl", data)
    default.prepare(graph, stream(0, "prepare"))
    gcn, with_edges, _ = built("grace", data)
    alone = Data(x=graph.x, edge_index=graph.edge_index[:, :0], num_nodes=graph.num_nodes)
    gcn.eval()
    with torch.no_grad():
        steps = {"alone": lambda: default.embed(alone), "gcn": lambda: gcn.embed(with_edges)}
        taken = in_turns(steps, rounds)
    nodes = int(graph.num_nodes or 0)
    return {
        "nodes": nodes / statistics.median(taken["alone"]),
        "nodes_gcn": nodes / statistics.median(taken["gcn"]),
        "ratio": over(taken, "gcn", "alone"),
    }
