"""Time and memory of a training, estimated from a few steps on small pieces of the graph.

A step costs something for each node with its edges and, where all pairs are compared, something for
each pair: its seconds on pieces of three sizes tell how much of each. Memory is what a step on the
largest piece took, less its tiles of pairs, in proportion to the nodes, plus tiles as large as
their budget allows. A graph that is no larger than the largest piece is its own piece; where the
training takes batches, one batch is. A step on the whole graph that takes seconds only, and has
the memory, is timed itself: what pieces tell of it is off by up to three times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.optimize import nnls
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.memory import available_bytes, peak_bytes, reset_peak
from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.data.edges import undirected
from homogcl.losses import Workspace
from homogcl.methods.base import Method
from homogcl.methods.inference import training_graph
from homogcl.nn.sparse import take_rows
from homogcl.presets.resolve import Settings
from homogcl.runs.run import Run
from homogcl.runs.train import new_method
from homogcl.training.loop import fit
from homogcl.views.subgraphs import Batches, batch_count

TILE = 1024  # rows of a tile of pairs on the CPU; pieces are whole tiles
PIECES = (TILE, 2 * TILE, 3 * TILE)
SHORT_STEP = 10.0  # seconds; shorter steps on the whole graph are timed, not computed
BYTES_PER_PARAMETER = 16  # itself, its gradient and the optimizer's two moments
COPIES = 64  # of its widest array; no method holds so many in a step


@dataclass(frozen=True)
class Estimate:
    """Time and memory of a training; `str` gives them as people say them."""

    seconds: float  # of all steps
    bytes: int  # of memory, above what the process held before

    def __str__(self) -> str:
        return f"about {duration(self.seconds)} and {_amount(self.bytes)}"


def estimate(name: str, settings: Settings, graph: Data, seed: int = 0) -> Estimate | None:
    """Return what training `name` on `graph` will take; None where no step is trained.

    Args:
        name: A method's name, with plug-ins behind plus signs.
        settings: As the training will have them.
        graph: The graph it will have; nothing of it is changed.
        seed: Root seed of the piece of the graph and of its steps.
    """
    nodes, epochs = int(graph.num_nodes or 0), settings.train.epochs
    # The largest piece comes first: later ones would find its memory still there.
    largest = _largest_piece(name, settings, graph, seed)
    if not largest.trains:
        return None
    needed = largest.memory()
    seconds = largest.seconds()
    if _is_whole_step(settings, nodes):
        train = settings.train
        steps = epochs if train.batch == "full" else epochs * batch_count(nodes, train)
        return Estimate(steps * seconds, needed)
    timed_pieces = {PIECES[-1]: seconds}
    for size in PIECES[:-1]:
        timed_pieces[size] = _Piece(name, settings, piece(graph, size, seed), nodes, seed).seconds()
    of_step = seconds_of(nodes, timed_pieces)
    free = available_bytes()
    if of_step < SHORT_STEP and free is not None and needed < free / 2:
        of_step = _Piece(name, settings, graph, nodes, seed).seconds()
    return Estimate(epochs * of_step, needed)


def seconds_of(nodes: int, pieces: Mapping[int, float]) -> float:
    """Return a n + b n² at n = `nodes`, with the a, b ≥ 0 that fit the `pieces` best.

    These are the seconds of a step, above 0, by the nodes of the piece.
    """
    n, seconds = np.array(list(pieces)) / nodes, np.array(list(pieces.values()))
    # Relative errors, so that the largest piece does not decide alone; n counts whole graphs.
    factors, _ = nnls(np.stack([n, n**2], axis=1) / seconds[:, None], np.ones(len(n)))
    return float(factors.sum())


def memory_needed(run: Run) -> int | None:
    """Return the bytes that training takes, from one step on a small piece of the graph.

    None where no step is trained, and where the piece is too small for the settings.
    """
    try:
        largest = _largest_piece(run.method, run.settings, run.graph, run.seed)
        return largest.memory() if largest.trains else None
    except UserError:
        return None


def may_exceed(run: Run, free: int) -> bool:
    """Return whether training could take more than `free` bytes, by the widest of its arrays."""
    x, nodes = run.graph.x, int(run.graph.num_nodes or 0)
    numbers = int(x.values().numel()) if x.is_sparse_csr else x.numel()
    dims = (value for key, value in run.settings.method.items() if key.endswith("_dim"))
    widest = max([value for value in dims if isinstance(value, int)], default=0)
    return 4 * COPIES * max(numbers, nodes * widest) > free


def _is_whole_step(settings: Settings, nodes: int) -> bool:
    """Return whether the largest piece is all that a step of the training sees."""
    return settings.train.batch != "full" or nodes <= PIECES[-1]


def _largest_piece(name: str, settings: Settings, graph: Data, seed: int) -> _Piece:
    nodes = int(graph.num_nodes or 0)
    if not _is_whole_step(settings, nodes):
        return _Piece(name, settings, piece(graph, PIECES[-1], seed), nodes, seed)
    train = settings.train
    if train.batch == "metis":
        # METIS would take longer than the estimate; its clusters keep most of a node's edges.
        part = piece(graph, -(-nodes // batch_count(nodes, train)), seed)
    else:
        part = next(Batches(graph, train).epoch(stream(seed, "piece")))
    return _Piece(name, settings, part, int(part.num_nodes or 0), seed)


def doubt(expected: int, free: int | None) -> str:
    """Return a warning if `expected` bytes are more than are `free`, else nothing."""
    if free is None or expected <= free:
        return ""
    return (
        f"training may need {_amount(expected)} and {_amount(free)} are free: a smaller hidden_dim "
        "and out_dim need less, HOMOGCL_TILE_MIB=64 keeps fewer pairs at the cost of time, and "
        "negatives=sampled compares fewer (grace, gca)"
    )


def piece(graph: Data, nodes: int, seed: int) -> Data:
    """Return a graph of `nodes` nodes with the features and the mean degree of `graph`.

    Its nodes are drawn from those of `graph`; its edges are drawn from all edges, with their ends
    put where the piece has nodes. So it costs what as many nodes of `graph` cost.
    """
    rng = stream(seed, "piece")
    whole = int(graph.num_nodes or 0)
    chosen = torch.randperm(whole, generator=rng)[:nodes].sort().values
    once = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    count = min(round(once.size(1) * nodes / whole), nodes * (nodes - 1) // 4)
    ends = once[:, torch.randperm(once.size(1), generator=rng)[:count]] % nodes
    result = Data(x=take_rows(graph.x, chosen), edge_index=undirected(ends, nodes)[0])
    if graph.get("edge_weight") is not None:
        result.edge_weight = torch.ones(result.edge_index.size(1))
    for key in ("y", *MASKS):
        if graph.get(key) is not None:
            result[key] = graph[key][chosen]
    return result


class _Piece:
    """A method on a graph that stands for one of `whole` nodes."""

    def __init__(self, name: str, settings: Settings, graph: Data, whole: int, seed: int) -> None:
        one_step = {"epochs": 1, "warmup_epochs": 0, "batch": "full"}
        self._train = settings.train.model_copy(update=one_step)
        run = Run.of(name, replace(settings, train=self._train), graph, seed)
        self._method = new_method(run)
        self._graph = training_graph(self._method, graph)
        self._seed, self._whole = seed, whole
        self.trains = any(p.requires_grad for p in self._method.parameters())
        self._budgets = [space.budget for space in _workspaces(self._method)]
        for space in _workspaces(self._method):
            # So the same share of the tiles is kept for backward as on the whole graph.
            space.budget = int(space.budget * (self._nodes / whole) ** 2)

    @property
    def _nodes(self) -> int:
        return int(self._graph.num_nodes or 0)

    def step(self) -> None:
        """Train one step."""
        fit(self._method, self._graph, self._train, seed=self._seed)

    def seconds(self) -> float:
        """Return how long a step takes, the shorter of two."""
        return max(min(timed(self.step, repeats=2)), 1e-9)

    def memory(self) -> int:
        """Return the bytes that a step on the whole graph takes above what is held before."""
        before = reset_peak()
        self.step()
        peak = max(0, peak_bytes() - before)
        if self._whole == self._nodes:
            return peak
        parameters = sum(p.numel() for p in self._method.parameters()) * BYTES_PER_PARAMETER
        # Sampled negatives leave the workspace alone.
        spaces = zip(_workspaces(self._method), self._budgets, strict=True)
        used = [(space.budget, budget) for space, budget in spaces if space.is_used]
        tiles_here = sum(kept_tiles(self._nodes, here) for here, _ in used)
        tiles = sum(kept_tiles(self._whole, budget) for _, budget in used)
        linear = max(0, peak - parameters - tiles_here)
        return parameters + tiles + round(linear * self._whole / self._nodes)


def kept_tiles(nodes: int, budget: int) -> int:
    """Return the bytes of tiles that a contrastive loss over `nodes` nodes holds at most."""
    across = -(-nodes // TILE)
    area = 4 * min(TILE, nodes) ** 2
    total = across * (2 * across + 1)  # all of A Bᵀ, half of A Aᵀ and of B Bᵀ with the diagonal
    return area * (min(total, budget // area) + 1)


def _workspaces(method: Method) -> list[Workspace]:
    values = (value for module in method.modules() for value in vars(module).values())
    return [value for value in values if isinstance(value, Workspace)]


def timed(step: Callable[[], object], repeats: int = 5) -> list[float]:
    """Return the seconds of a step each time it is repeated, after one to warm up."""
    step()
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - started)
    return seconds


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(7.2), duration(200), duration(36_000)
    ('7 seconds', '3.3 minutes', '10 hours')
    """
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = seconds / length
            number = f"{count:.0f}" if count >= 10 else f"{count:.1f}".removesuffix(".0")
            return f"{number} {unit}{'' if number == '1' else 's'}"
    return f"{max(1, round(seconds))} seconds"


def _amount(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{max(1, round(size / 1e6))} MB"
