"""What an epoch costs as graphs grow: time and memory in the number of nodes and of processes."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import torch
from matplotlib.figure import Figure
from torch_geometric.data import Data

from benchmarks.process import Measured, measure
from homogcl.core.distributed import joined
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph
from homogcl.methods.registry import Sizes, build
from homogcl.presets.resolve import Settings, resolve
from homogcl.training.loop import fit

Row = tuple[str, float, str]  # what, its value, what it is held to

SIZES = (20_000, 100_000, 500_000, 2_000_000)
BATCH = 10_000  # nodes of a batch
ARXIV = (169_343, 2_315_598)  # nodes, and edges in both directions
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "scaling.svg"
# Tiles kept for backward save time and cost memory; at this size few of them would fit anyway.
SMALL_TILES = {"HOMOGCL_TILE_MIB": "64"}


def epoch(nodes: int, negatives: str, batch_size: int = 0, epochs: int = 1) -> Measured:
    """Return seconds and memory of an epoch of grace+homogcl on a generated graph.

    Args:
        nodes: Of the graph.
        negatives: "exact" or "sampled".
        batch_size: Nodes of a batch; 0 for the whole graph at once.
        epochs: How many are run; the last one counts.
    """
    graph = citation_graph(num_nodes=nodes, num_words=500, seed=0)
    batch = {"batch": "parts", "batch_size": batch_size} if batch_size else {}
    overrides = {"negatives": negatives, "epochs": epochs, **batch}
    return _trained(graph, overrides)


def arxiv_step(nodes: int = ARXIV[0], edges: int = ARXIV[1]) -> Measured:
    """Return seconds and all memory of one exact step on a graph of arXiv's size.

    Backward computes the hidden layers again.
    """
    os.environ.update(SMALL_TILES)
    settings = {"negatives": "exact", "epochs": 1, "recompute": True}
    return _trained(_like_arxiv(nodes, edges), settings)


def arxiv_epoch(nodes: int = ARXIV[0], edges: int = ARXIV[1], negatives: int = 256) -> Measured:
    """Return seconds and all memory of an epoch with sampled negatives on such a graph."""
    settings = {"negatives": "sampled", "num_negatives": negatives, "epochs": 2}
    return _trained(_like_arxiv(nodes, edges), settings)


def _like_arxiv(nodes: int, edges: int) -> Data:
    """Return a generated graph with 128 dense features, as arXiv has."""
    generated = citation_graph(num_nodes=nodes, num_words=8, mean_degree=edges / nodes, seed=0)
    x = torch.randn(nodes, 128, generator=stream(0, "features"))
    return Data(x=x, edge_index=generated.edge_index, num_nodes=nodes)


def _trained(graph: Data, overrides: dict[str, object]) -> Measured:
    settings = resolve("grace+homogcl", "unknown", overrides)
    method = build("grace+homogcl", settings.method, Sizes.of(graph), seed=0)
    seconds: list[float] = []
    with joined() as ranks:
        before = reset_peak()
        fit(
            method,
            graph,
            settings.train,
            seed=0,
            ranks=ranks,
            on_epoch=lambda done: seconds.append(done.seconds),
        )
    return {
        "nodes": int(graph.num_nodes or 0),
        "edges": graph.num_edges,
        "operations": operations(graph, settings),
        "seconds": seconds[-1] if seconds else 0.0,
        "bytes": peak_bytes(),
        "bytes_of_the_graph": before,
    }


def operations(graph: Data, settings: Settings) -> float:
    """Return an epoch's operations by the model of docs/scaling.md, negatives sampled or not."""
    n = int(graph.num_nodes or 0)
    of_method, train = settings.method, settings.train
    h, d, m, k = (
        int(str(of_method.get(key, default)))
        for key, default in (
            *(("hidden_dim", 512), ("out_dim", 256)),
            *(("num_negatives", 1024), ("num_clusters", 10)),
        )
    )
    stored = graph.x.values().numel() if graph.x.layout == torch.sparse_csr else graph.x.numel()
    # Random parts keep the edges of which both ends fall into one of them.
    edges = graph.num_edges * (train.batch_size / n if train.batch != "full" else 1)
    pairs = 24 * n * m if of_method.get("negatives") == "sampled" else 16 * n * n
    dense = 18 * stored * h + 18 * n * h * d + pairs * d + 80 * n * k * d
    return float(dense + 18 * edges * (h + d))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return b of the least-squares fit of cost = a size^b.

    >>> round(exponent([1, 10, 100], [2, 20, 200]), 6)
    1.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - mean_x) ** 2 for a in x)


def scale(sizes: Sequence[int] = SIZES, batch: int = BATCH, picture: Path = PICTURE) -> list[Row]:
    """Return an epoch's cost as the graph grows, exact against sampled, one process against two."""
    # The first epoch of a process also pays for its warming up, which large graphs do not notice.
    taken = {
        n: measure("epoch", n, "sampled", batch, 2 if n <= 10 * sizes[0] else 1) for n in sizes
    }
    rows: list[Row] = []
    for n, result in taken.items():
        rows += [
            (f"N = {n:,}: seconds of an epoch", result["seconds"], ""),
            (f"N = {n:,}: GB in all", result["bytes"] / 1e9, ""),
            (f"N = {n:,}: GB of graph and program", result["bytes_of_the_graph"] / 1e9, ""),
            (
                f"N = {n:,}: GFLOP/s by the model",
                result["operations"] / result["seconds"] / 1e9,
                "the same for all N, if the model holds",
            ),
        ]
    seconds = [taken[n]["seconds"] for n in sizes]
    rows.append(("exponent of seconds in N", exponent(sizes, seconds), "at most 1.1"))
    rows += _against(sizes[0])
    rows += _processes(sizes[0], sizes[1], batch)
    draw(taken, picture)
    return rows


def _against(nodes: int) -> list[Row]:
    """Compare exact with sampled negatives, the whole graph at once."""
    exact, sampled = (measure("epoch", nodes, kind, 0, 2) for kind in ("exact", "sampled"))
    return [
        (f"N = {nodes:,}: seconds of an exact step", exact["seconds"], ""),
        (f"N = {nodes:,}: seconds of a sampled step", sampled["seconds"], ""),
        ("exact over sampled, time", exact["seconds"] / sampled["seconds"], ""),
        ("exact over sampled, memory", exact["bytes"] / sampled["bytes"], ""),
    ]


def _processes(exact_nodes: int, batched_nodes: int, batch: int) -> list[Row]:
    """Compare one process with two, of one thread each."""
    rows: list[Row] = []
    for what, arguments in (
        ("exact, pairs shared", (exact_nodes, "exact", 0, 2)),
        ("sampled, batches shared", (batched_nodes, "sampled", batch, 1)),
    ):
        one, two = (measure("epoch", *arguments, processes=p, threads=1) for p in (1, 2))
        rows += [
            (f"{what}: seconds of one process", one["seconds"], ""),
            (f"{what}: seconds of two processes", two["seconds"], ""),
            (f"{what}: one over two", one["seconds"] / two["seconds"], ""),
        ]
    return rows


def arxiv(nodes: int = ARXIV[0], edges: int = ARXIV[1]) -> list[Row]:
    """Return what one exact step takes on a graph of arXiv's size."""
    taken = measure("arxiv_step", nodes, edges, threads=1)
    return [
        ("nodes", taken["nodes"], ""),
        ("edges, both directions", taken["edges"], ""),
        ("seconds of an exact step, one thread", taken["seconds"], ""),
        ("GB in all", taken["bytes"] / 1e9, "under 4"),
    ]


def arxiv_sampled(nodes: int = ARXIV[0], edges: int = ARXIV[1]) -> list[Row]:
    """Return what an epoch with sampled negatives takes on a graph of arXiv's size."""
    taken = measure("arxiv_epoch", nodes, edges)
    return [
        ("seconds of an epoch, 256 sampled negatives", taken["seconds"], "well under 60"),
        ("GB in all, 256 sampled negatives", taken["bytes"] / 1e9, ""),
    ]


def draw(taken: dict[int, Measured], path: Path) -> None:
    """Draw seconds and memory over the number of nodes, beside lines that grow as N does."""
    mpl.rcParams["svg.hashsalt"] = "homogcl"
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    sizes = list(taken)
    curves = {
        "seconds of an epoch": [taken[n]["seconds"] for n in sizes],
        "GB in all": [taken[n]["bytes"] / 1e9 for n in sizes],
    }
    for axis, (title, values) in zip(figure.subplots(1, 2), curves.items(), strict=True):
        axis.loglog(sizes, values, "o-", label="measured")
        linear = [values[0] * n / sizes[0] for n in sizes]
        axis.loglog(sizes, linear, ":", color="gray", label="proportional to N")
        axis.set(xlabel="nodes", title=title)
        axis.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
