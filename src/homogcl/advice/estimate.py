"""Time and memory of a training, estimated from a few steps on a small piece of the graph.

How the cost of a step grows is counted: torch's operations on pieces of three sizes give those on
the whole graph. How fast this machine computes them is measured: once per kind of operation, and
once for a whole step on the largest piece. Memory is what that step took, less its tiles of pairs,
in proportion to the nodes, plus tiles as large as their budget allows. A graph that is no larger
than the largest piece is its own piece; where the training takes batches, one batch is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch_geometric.data import Data

from homogcl.advice.flops import Operations, counted, through
from homogcl.core.csr import csr_tensor
from homogcl.core.errors import UserError
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.seeds import stream
from homogcl.data.edges import undirected
from homogcl.losses import Workspace
from homogcl.methods.base import Method
from homogcl.methods.inference import without_labels
from homogcl.presets.resolve import Settings
from homogcl.runs.run import Run
from homogcl.runs.train import new_method
from homogcl.training.loop import fit
from homogcl.views.subgraphs import Batches

TILE = 1024  # rows of a tile of pairs on the CPU; pieces are whole tiles
PIECES = (TILE, 2 * TILE, 3 * TILE)
BYTES_PER_PARAMETER = 16  # itself, its gradient and the optimizer's two moments
COPIES = 64  # of its widest array; no method holds so many in a step


@dataclass(frozen=True)
class Estimate:
    """Time and memory of a training; `str` gives them as people say them."""

    seconds: float  # of all steps
    bytes: int  # of memory, above what the process held before

    def __str__(self) -> str:
        return f"about {duration(self.seconds)} and {_amount(self.bytes)}"


@dataclass(frozen=True)
class Rates:
    """How many operations of each kind this machine does in a second."""

    products: float
    sparse: float
    elements: float

    def seconds(self, operations: Operations) -> float:
        """Return how long the operations take one after another."""
        return (
            operations.products / self.products
            + operations.sparse / self.sparse
            + operations.elements / self.elements
        )


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
    needed = largest.memory(largest.peak())
    seconds = largest.seconds()
    if _is_whole_step(settings, nodes):
        steps = epochs * Batches(graph, settings.train).per_epoch
        return Estimate(steps * seconds, needed)
    points = {PIECES[-1]: largest.operations()}
    for size in PIECES[:-1]:
        points[size] = _Piece(name, settings, piece(graph, size, seed), nodes, seed).operations()
    rates, operations = machine_rates(), through(points)
    growth = rates.seconds(operations(nodes)) / rates.seconds(points[PIECES[-1]])
    return Estimate(epochs * seconds * growth, needed)


def memory_needed(run: Run) -> int | None:
    """Return the bytes that training takes, from one step on a small piece of the graph.

    None where no step is trained, and where the piece is too small for the settings.
    """
    try:
        largest = _largest_piece(run.method, run.settings, run.graph, run.seed)
        return largest.memory(largest.peak()) if largest.trains else None
    except UserError:
        return None


def may_exceed(run: Run, free: int) -> bool:
    """Return whether training could take more than `free` bytes, by the widest of its arrays."""
    x, nodes = run.graph.x, int(run.graph.num_nodes or 0)
    stored = int(x.values().numel()) if x.is_sparse_csr else x.numel()
    dims = (value for key, value in run.settings.method.items() if key.endswith("_dim"))
    widest = max([value for value in dims if isinstance(value, int)], default=0)
    return 4 * COPIES * max(stored, nodes * widest) > free


def _is_whole_step(settings: Settings, nodes: int) -> bool:
    """Return whether the largest piece is all that a step of the training sees."""
    return settings.train.batch != "full" or nodes <= PIECES[-1]


def _largest_piece(name: str, settings: Settings, graph: Data, seed: int) -> _Piece:
    nodes = int(graph.num_nodes or 0)
    if not _is_whole_step(settings, nodes):
        return _Piece(name, settings, piece(graph, PIECES[-1], seed), nodes, seed)
    part = next(Batches(graph, settings.train).epoch(stream(seed, "piece")))
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
    drawn = once[:, torch.randperm(once.size(1), generator=rng)[:count]] % nodes
    x = graph.x
    x = x.to_sparse_coo().index_select(0, chosen).to_sparse_csr() if x.is_sparse_csr else x[chosen]
    result = Data(x=x, edge_index=undirected(drawn, nodes)[0])
    if graph.get("edge_weight") is not None:
        result.edge_weight = torch.ones(result.edge_index.size(1))
    for key in ("y", "train_mask", "val_mask", "test_mask"):
        if graph.get(key) is not None:
            result[key] = graph[key][chosen]
    return result


def machine_rates() -> Rates:
    """Return this machine's rates, measured on operations like those of a step."""
    a, b = torch.ones(TILE, 256), torch.ones(256, TILE)
    tile = torch.ones(TILE, TILE)
    rows = torch.arange(0, 10 * TILE + 1, 10)
    columns = (torch.arange(10 * TILE) * 7919) % TILE
    matrix = csr_tensor(rows.int(), columns.int(), torch.ones(10 * TILE), (TILE, TILE))
    return Rates(
        products=2 * TILE * TILE * 256 / _seconds(lambda: a @ b),
        sparse=2 * 10 * TILE * 256 / _seconds(lambda: matrix @ a),
        elements=TILE * TILE / _seconds(lambda: tile.exp()),
    )


class _Piece:
    """A method on a graph that stands for one of `whole` nodes."""

    def __init__(self, name: str, settings: Settings, graph: Data, whole: int, seed: int) -> None:
        one_step = {"epochs": 1, "warmup_epochs": 0, "batch": "full"}
        self._train = settings.train.model_copy(update=one_step)
        run = Run.of(name, replace(settings, train=self._train), graph, seed)
        self._method = new_method(run)
        self._graph = graph if "Y" in self._method.training_data else without_labels(graph)
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

    def peak(self) -> int:
        """Return the bytes that a step takes above what is held before."""
        before = reset_peak()
        self.step()
        return max(0, peak_bytes() - before)

    def seconds(self) -> float:
        """Return how long a step takes, of two."""
        return _seconds(self.step, repeats=2)

    def operations(self) -> Operations:
        """Return what a step computes."""
        return counted(self.step)

    def memory(self, taken: int) -> int:
        """Return the bytes for the whole graph where this piece took `taken`."""
        if self._whole == self._nodes:
            return taken
        parameters = sum(p.numel() for p in self._method.parameters()) * BYTES_PER_PARAMETER
        # Sampled negatives leave the workspace alone.
        spaces = zip(_workspaces(self._method), self._budgets, strict=True)
        used = [(space.budget, budget) for space, budget in spaces if space.is_used]
        tiles_here = sum(kept_tiles(self._nodes, here) for here, _ in used)
        tiles = sum(kept_tiles(self._whole, budget) for _, budget in used)
        linear = max(0, taken - parameters - tiles_here)
        return parameters + tiles + round(linear * self._whole / self._nodes)


def kept_tiles(nodes: int, budget: int) -> int:
    """Return the bytes of tiles that a contrastive loss over `nodes` nodes holds at most."""
    across = -(-nodes // TILE)
    area = 4 * min(TILE, nodes) ** 2
    total = across * (2 * across + 1)  # all of A Bᵀ, half of A Aᵀ and of B Bᵀ with the diagonal
    return area * (min(total, budget // area) + 1)


def _workspaces(method: Method) -> list[Workspace]:
    held = (value for module in method.modules() for value in vars(module).values())
    return [value for value in held if isinstance(value, Workspace)]


def timed(step: Callable[[], object], repeats: int = 5) -> list[float]:
    """Return the seconds of a step each time it is repeated, after one to warm up."""
    step()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        step()
        taken.append(time.perf_counter() - started)
    return taken


def _seconds(step: Callable[[], object], repeats: int = 5) -> float:
    """Return the least seconds of a step, above 0."""
    return max(min(timed(step, repeats)), 1e-9)


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(7.2), duration(200), duration(36_000)
    ('7 seconds', '3.3 minutes', '10 hours')
    """
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = seconds / length
            shown = f"{count:.0f}" if count >= 10 else f"{count:.1f}".removesuffix(".0")
            return f"{shown} {unit}{'' if shown == '1' else 's'}"
    return f"{max(1, round(seconds))} seconds"


def _amount(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{max(1, round(size / 1e6))} MB"
