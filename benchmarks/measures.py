"""What is measured; each measure runs in a process of its own, so that memory is its own too."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv
import torch
from torch_geometric.data import Data

from benchmarks.dense_peer import MessageEncoder, dense_loss
from homogcl.advice.estimate import timed
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.precision import arithmetic, has_bfloat16, products_in
from homogcl.core.seeds import stream
from homogcl.data.load import citation_graph, load
from homogcl.data.own.graph import read_own
from homogcl.data.structural import structural_features
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs
from homogcl.methods.registry import Method, Sizes, build, total
from homogcl.nn.sparse import with_pattern
from homogcl.presets.resolve import resolve
from homogcl.training.loop import TrainConfig, objective

Measured = dict[str, float]


def seconds_of(step: Callable[[], object], repeats: int = 5) -> float:
    """Return the median seconds of a step, after one to warm up."""
    return statistics.median(timed(step, repeats))


def product_limit() -> float:
    """Return the most float32 operations a second that a matrix product reaches here."""
    a, b = torch.randn(3072, 3072), torch.randn(3072, 3072)
    return 2 * 3072**3 / min(seconds_of(lambda: a @ b, 3) for _ in range(3))


def loss_share(nodes: int = 7650, dim: int = 256) -> Measured:
    """Return the loss's share of the machine's limit, counting 8 products of 2 N² d operations."""
    rng = torch.Generator().manual_seed(0)
    u = torch.randn(nodes, dim, generator=rng, requires_grad=True)
    v = torch.randn(nodes, dim, generator=rng, requires_grad=True)
    kept, recomputed = Workspace(), Workspace(budget=0)
    limit = product_limit()
    operations = 8 * 2 * nodes**2 * dim
    result = {"limit_gflops": limit / 1e9}
    for name, workspace in (("kept", kept), ("recomputed", recomputed)):

        def one(workspace: Workspace = workspace) -> None:
            info_nce(u, v, 0.5, negatives=AllPairs(workspace)).backward()  # type: ignore[no-untyped-call]

        seconds = seconds_of(one)
        result |= {f"seconds_{name}": seconds, f"share_{name}": operations / seconds / limit}
    return result


def step(method: str, data: str, repeats: int = 5, *changed: str) -> Measured:
    """Return seconds and memory of a training step of `method` on a data set with its preset.

    `changed` are settings in place of the preset's, such as "negatives=exact".
    """
    method_object, graph, config = built(method, data, *changed)
    return _training(method_object, graph, config, repeats)


def built(method: str, data: str, *changed: str) -> tuple[Method, Data, TrainConfig]:
    """Return a method as its preset on a data set has it, the graph, and how it is trained."""
    settings = resolve(method, data, dict(each.split("=") for each in changed))
    graph = load(data, features=settings.data.features)
    return build(method, settings.method, Sizes.of(graph), seed=0), graph, settings.train


def dense_step(data: str, layers: str = "ours", repeats: int = 3) -> Measured:
    """Return seconds and memory of a step of the dense peer with the same settings.

    Its `layers` are "ours" or those of "torch_geometric".
    """
    one = _dense_training(data, layers)
    before = reset_peak()
    seconds = seconds_of(one, repeats)
    return {"seconds": seconds, "bytes": peak_bytes() - before}


def sampled_and_dense(data: str, rounds: int = 5) -> Measured:
    """Return the median seconds of both steps and of their ratio, taken in turns.

    A machine that others use is faster in one minute than in the next; steps of the same round
    meet the same machine. The first steps, which move more nodes between clusters than the rest of
    a training does, are not counted.
    """
    sampled = one_step(*built("grace+homogcl", data))
    peers = {layers: _dense_training(data, layers) for layers in ("ours", "torch_geometric")}
    timed(sampled, 10)
    taken: dict[str, list[float]] = {"sampled": [], **{layers: [] for layers in peers}}
    for _ in range(rounds):
        taken["sampled"].append(seconds_of(sampled))
        for layers, peer in peers.items():
            taken[layers].append(seconds_of(peer, 1))
    result = {f"seconds_{name}": statistics.median(each) for name, each in taken.items()}
    for layers in peers:
        ratios = [d / s for d, s in zip(taken[layers], taken["sampled"], strict=True)]
        result[f"ratio_{layers}"] = statistics.median(ratios)
    return result


def sampled_ways(data: str, rounds: int = 2) -> Measured:
    """Return the median ratio of a dense step to the sampled one, in each of some ways.

    Five steps at a time are timed and averaged, in which `refresh=5` weighs the edges once.
    """
    ways: dict[str, tuple[str, ...]] = {"preset": (), "refresh": ("refresh=5",)}
    if has_bfloat16():
        ways["bfloat16"] = ("refresh=5", "precision=bfloat16")
    dense = _dense_training(data, "ours")
    steps = {way: one_step(*built("grace+homogcl", data, *each)) for way, each in ways.items()}
    for step in steps.values():
        timed(step, 10)
    ratios: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        peer = seconds_of(dense, 1)
        for way, step in steps.items():
            ratios[way].append(peer / statistics.mean(timed(step, 5)))
    return {way: statistics.median(each) for way, each in ratios.items()}


def _dense_training(data: str, layers: str) -> Callable[[], None]:
    """Return a training step of the dense peer."""
    settings = resolve("grace", data)
    clusters = resolve("grace+homogcl", data).method["num_clusters"]
    graph = load(data, features=settings.data.features)
    grace: Any = build("grace", settings.method, Sizes.of(graph), seed=0)
    assert isinstance(clusters, int)
    if layers == "torch_geometric":
        dims = (graph.num_features, grace.config.hidden_dim, grace.config.out_dim)
        grace.encoder = MessageEncoder(dims)
    rng = stream(0, "augment")
    optimizer = torch.optim.Adam(grace.parameters(), lr=settings.train.learning_rate)

    def one() -> None:
        optimizer.zero_grad()
        dense_loss(grace, grace.views(graph, rng), graph, clusters).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return one


def growth(nodes: int) -> Measured:
    """Return seconds and memory of a step of grace+homogcl on a generated graph."""
    graph = citation_graph(num_nodes=nodes, num_words=500, seed=0)
    settings = resolve("grace+homogcl", "unknown")
    plugged = build("grace+homogcl", settings.method, Sizes.of(graph), seed=0)
    return _training(plugged, graph, settings.train, repeats=1 if nodes > 15_000 else 3)


def own_files(ids: str, edges: int = 10_000_000, nodes: int = 1_000_000) -> Measured:
    """Return what a CSV file of random edges takes to read, without and with features of its own.

    Args:
        ids: "numbers" or "names", such as user-0000017.
        edges: Lines of the file.
        nodes: How many different ids there are at most.
    """
    torch.set_num_threads(1)
    pyarrow.set_cpu_count(1)
    rng = np.random.default_rng(0)
    names = pyarrow.array(
        [f"user-{i:07d}" for i in range(nodes)] if ids == "names" else np.arange(nodes)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        ends = {end: names.take(pyarrow.array(rng.integers(nodes, size=edges))) for end in "ab"}
        pyarrow.csv.write_csv(pyarrow.table(ends), path)
        # One column of zeros stands for features that a user has, so that none are made.
        np.savez(
            Path(folder) / "x.npz", x=np.zeros((nodes, 1)), ids=names.to_numpy(False).astype(str)
        )
        before = reset_peak()
        started, processor = time.perf_counter(), time.process_time()
        own = read_own(path, features="x.npz")
        seconds, processor_seconds = time.perf_counter() - started, time.process_time() - processor
        taken = max(0, peak_bytes() - before)  # the system counts pages roughly
    started = time.process_time()
    structural_features(own.data.edge_index, len(own.ids))
    return {
        "seconds": seconds,
        "processor_seconds": processor_seconds,
        "structural_seconds": time.process_time() - started,
        "bytes": taken,
    }


def _training(method: Method, graph: Data, config: TrainConfig, repeats: int) -> Measured:
    one = one_step(method, graph, config)
    before = reset_peak()
    seconds = seconds_of(one, repeats)
    peak = peak_bytes()
    return {"seconds": seconds, "bytes": peak - before, "peak_bytes": peak}


def one_step(method: Method, graph: Data, config: TrainConfig) -> Callable[[], None]:
    """Return a training step of `method`; of one without parameters, a step that does nothing."""
    rng = stream(0, "augment")
    graph = with_pattern(graph)
    method.prepare(graph, stream(0, "prepare"))
    trained = [p for p in method.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=config.learning_rate) if trained else None
    kind = arithmetic(config.precision, graph.edge_index.device)

    def one() -> None:
        if optimizer is None:
            return
        optimizer.zero_grad()
        with products_in(kind):
            terms = objective(method, method.views(graph, rng), config)
            total(terms, method.term_weights()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        method.after_step(0.5)

    return one
