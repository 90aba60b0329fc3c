"""One host against two, which are network namespaces: time, and the same losses.

It takes root, `ip` and `tc`, as `tests/hosts.py` says. Each process has one thread.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph
from homogcl.data.mapped import write_mapped
from homogcl.data.mapped_share import write_share
from homogcl.data.shared_rows import Share
from tests.hosts import hosts, lacking, launcher

Row = tuple[str, float, str]  # what, its value, what it is held to

EXACT, BATCHED = 10_000, 50_000  # nodes of the graph that a step sees whole, and by batches
FEATURES, DEGREE = 128, 10
EPOCHS = 3  # of which the first is not counted
HOUR = 3600.0  # seconds after which a training is given up


class Taken(NamedTuple):
    """What a training took, and where it ended."""

    seconds: float  # of an epoch
    loss: float  # of the last one
    waiting: float  # share of an epoch without a batch


def over_hosts(
    exact: int = EXACT, batched: int = BATCHED, settings: Sequence[str] = ()
) -> list[Row]:
    """Compare trainings on one host and on two, with the whole graph a step and by batches.

    Args:
        exact: Nodes of the graph that a step sees whole.
        batched: Nodes of the graph that a step sees a batch of.
        settings: Further ones, such as "hidden_dim=64".
    """
    if problem := lacking():
        raise UserError(f"{problem}; measure hosts where they are allowed")
    words = [word for each in settings for word in ("--set", each)]
    with tempfile.TemporaryDirectory(prefix="homogcl-hosts-") as place:
        folder = Path(place)
        return [*_exact(folder, exact, words), *_batched(folder, batched, words)]


def _exact(folder: Path, nodes: int, words: list[str]) -> list[Row]:
    graph = write_mapped(_graph(nodes), folder / "exact")
    words = [*words, "--set", "negatives=exact"]
    one, two = (_trained([graph] * count, 1, words) for count in (1, 2))
    return [
        ("exact, pairs shared: seconds of one host", one.seconds, ""),
        ("exact, pairs shared: seconds of two hosts", two.seconds, ""),
        ("exact, pairs shared: one over two", one.seconds / two.seconds, ""),
        ("exact, pairs shared: difference of losses, %", _difference(one, two), "rounding"),
    ]


def _batched(folder: Path, nodes: int, words: list[str]) -> list[Row]:
    graph = write_mapped(_graph(nodes), folder / "batched")
    shares = [folder / f"share-{number}" for number in (1, 2)]
    for number, share in enumerate(shares, 1):
        write_share(graph, share, Share(number=number, count=2))
    words = [*words, "--set", "negatives=sampled", "--set", "num_negatives=256"]
    words += ["--batch", f"neighbors:{min(4096, nodes // 4)}", "--set", "fanout=[5]"]
    one, processes = (_trained([graph], count, words) for count in (1, 2))
    copies, cut = (_trained(graphs, 1, words) for graphs in ([graph] * 2, shares))
    name = "batches shared"
    return [
        (f"{name}: seconds of one host, one process", one.seconds, ""),
        (f"{name}: seconds of one host, two processes", processes.seconds, ""),
        (f"{name}: seconds of two hosts, copies", copies.seconds, ""),
        (f"{name}: seconds of two hosts, shares", cut.seconds, ""),
        (f"{name}: one host over two, copies", one.seconds / copies.seconds, ""),
        (f"{name}: one host over two, shares", one.seconds / cut.seconds, ""),
        (f"{name}: share of an epoch without a batch, copies, %", 100 * copies.waiting, ""),
        (f"{name}: share of an epoch without a batch, shares, %", 100 * cut.waiting, ""),
        (
            f"{name}: difference of losses, copies from two processes of one host, %",
            _difference(processes, copies),
            "rounding",
        ),
        (
            f"{name}: difference of losses, shares from two processes of one host, %",
            _difference(processes, cut),
            "rounding",
        ),
    ]


def _graph(nodes: int) -> Data:
    generated = citation_graph(num_nodes=nodes, num_words=8, mean_degree=DEGREE, seed=0)
    x = torch.randn(nodes, FEATURES, generator=stream(0, "features"))
    return Data(x=x, edge_index=generated.edge_index, num_nodes=nodes)


def _difference(a: Taken, b: Taken) -> float:
    return 100 * abs(a.loss - b.loss) / abs(a.loss)


def _trained(graphs: Sequence[Path], processes: int, words: Sequence[str]) -> Taken:
    """Train on as many hosts as there are graphs, each with so many processes."""
    with tempfile.TemporaryDirectory(dir=graphs[0].parent) as place:
        run = Path(place) / "run"
        with hosts(len(graphs), Path(place)) as machines:
            for host, graph in zip(machines, graphs, strict=True):
                command = ("train", "grace+homogcl", graph, "--out", run, "--resume", "--yes")
                epochs = ("--set", f"epochs={EPOCHS}")
                start = launcher(host, len(graphs), processes=processes)
                host.start(*start, "homogcl", *command, *words, *epochs)
            if any(host.end(HOUR) for host in machines):
                raise UserError(f"a training failed, on {graphs[0]}: {machines[0].said}")
        log = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    seconds = [epoch["seconds"] for epoch in log[1:]]
    waiting = sum(epoch.get("waiting") or 0.0 for epoch in log[1:]) / sum(seconds)
    return Taken(statistics.median(seconds), log[-1]["loss"], waiting)
