"""Parts of a graph, each of them a graph that one training step sees.

A batch is the subgraph that a set of nodes induces: all edges between them, in both directions,
with their weights. Batches differ in how the nodes are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import torch
from pydantic import Field, PositiveInt
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.distributed import ALONE, Ranks
from homogcl.core.errors import UserError
from homogcl.core.extras import optional
from homogcl.data.mapped import is_on_disk, read_rows, release
from homogcl.data.shared_rows import SharedRows
from homogcl.nn.sparse import entries, take_rows

Fanout = Annotated[tuple[PositiveInt, ...], Field(min_length=1)]


class BatchConfig(Config):
    """The part of the graph that one step of a training sees.

    `full` is the whole graph. The others see every node once per epoch: `parts` cuts the nodes
    into random parts, `neighbors` adds a sample of the nodes around each part, hop by hop, and
    `metis` cuts the graph into clusters with few edges between them.
    """

    batch: Literal["full", "parts", "neighbors", "metis"] = "full"
    batch_size: int = Field(default=1024, ge=1)  # nodes, those around them not counted
    fanout: Fanout = (10, 10)  # neighbors that `neighbors` takes of each node, for each hop


class Batches:
    """The batches of an epoch, in an order drawn anew for each."""

    def __init__(self, graph: Data, config: BatchConfig, ranks: Ranks = ALONE) -> None:
        """Cut up `graph`, whose edges are sorted by source; each rank gets as many batches."""
        self._graph, self._config, self._ranks = graph, config, ranks
        self._nodes = int(graph.num_nodes or 0)
        self._sets: list[Tensor] = []
        self._crow = torch.empty(0)
        count = batch_count(self._nodes, config, ranks)
        if config.batch != "full":
            self._crow = row_pointers(graph)
        if config.batch == "metis":
            self._sets = _clusters(self._crow, graph.edge_index[1], count)
        self.per_epoch = count // ranks.size if config.batch != "full" else 1

    @property
    def smallest(self) -> int:
        """The least number of nodes that a batch can have."""
        if self._sets:
            return min(nodes.numel() for nodes in self._sets)
        return smallest_batch(self._nodes, self._config, self._ranks)

    def epoch(self, rng: torch.Generator) -> Iterator[Data]:
        """Draw the batches of one epoch and return those of this rank."""
        if self._config.batch == "full":
            yield self._graph
            return
        count = self.per_epoch * self._ranks.size
        if self._sets:
            sets = [self._sets[i] for i in torch.randperm(count, generator=rng).tolist()]
        else:
            sets = list(torch.tensor_split(torch.randperm(self._nodes, generator=rng), count))
        # One seed per batch, so that no rank draws for the batches of another.
        seeds = torch.randint(2**62, (count,), generator=rng).tolist()
        for number in range(self._ranks.rank, count, self._ranks.size):
            nodes = sets[number].to(self._graph.edge_index.device)
            if self._config.batch == "neighbors":
                near = torch.Generator().manual_seed(seeds[number])
                nodes = neighborhood(
                    self._crow, self._graph.edge_index[1], nodes, self._config.fanout, near
                )
            part = induced(self._graph, nodes.sort().values, self._crow)
            del part.edge_id  # the batch's edges are the original ones of its views
            release(self._graph)
            yield part


def batch_count(nodes: int, config: BatchConfig, ranks: Ranks = ALONE) -> int:
    """Return the number of batches into which the nodes are cut: as many for each rank."""
    each = -(-nodes // (config.batch_size * ranks.size))
    return each * ranks.size


def smallest_batch(nodes: int, config: BatchConfig, ranks: Ranks = ALONE) -> int:
    """Return the least number of nodes of a batch where they are cut at random."""
    return nodes if config.batch == "full" else nodes // batch_count(nodes, config, ranks)


def check_batches(nodes: int, config: BatchConfig, ranks: Ranks = ALONE) -> None:
    """Refuse a graph that cannot be cut up so, before anything is computed."""
    if ranks.size > nodes:
        raise UserError(f"{ranks.size} processes are more than the {nodes} nodes there are")
    if smallest_batch(nodes, config, ranks) == 0:
        raise UserError(
            f"batch_size={config.batch_size} leaves some of {ranks.size} processes without a node"
        )
    if config.batch == "metis":
        _metis()


def row_pointers(graph: Data) -> Tensor:
    """Return where each node's edges begin in `edge_index`, which is sorted by source, [N + 1]."""
    crow: Tensor | None = graph.get("crow")
    if crow is not None:
        return crow
    nodes = torch.arange(int(graph.num_nodes or 0) + 1, device=graph.edge_index.device)
    return torch.searchsorted(graph.edge_index[0].contiguous(), nodes)


def neighborhood(
    crow: Tensor, col: Tensor, seeds: Tensor, fanout: tuple[int, ...], rng: torch.Generator
) -> Tensor:
    """Return the distinct seeds and, hop by hop, a sample of the nodes around them, ascending.

    Each node that a hop has reached gives at most `fanout[hop]` of its neighbors to the next,
    drawn uniformly and without replacement. `crow` [N + 1] are the graph's row pointers and `col`
    [E] the neighbors of all nodes, row after row.
    """
    reached = seeds.sort().values
    frontier = reached
    for most in fanout:
        place, position = entries(crow, frontier)
        draw = torch.rand(place.numel(), generator=rng, device=rng.device).to(place.device)
        order = torch.argsort(draw)
        order = order[torch.argsort(place[order], stable=True)]
        count = torch.bincount(place, minlength=frontier.numel())
        rank = torch.arange(place.numel(), device=place.device) - (count.cumsum(0) - count)[place]
        sample = torch.unique(col[position[order[rank < most]]])
        frontier = sample[~torch.isin(sample, reached, assume_unique=True)]
        reached = torch.cat([reached, frontier]).sort().values
    return reached


def random_nodes(graph: Data, count: int, rng: torch.Generator) -> Tensor:
    """Return `count` distinct nodes in ascending order, int64; all where there are no more."""
    order = torch.randperm(int(graph.num_nodes or 0), generator=rng, device=rng.device)
    return order[:count].sort().values.to(graph.edge_index.device)


def induced(graph: Data, nodes: Tensor, crow: Tensor | None = None) -> Data:
    """Return the subgraph of `nodes`, with `edge_id` into the graph's edges, sorted by source.

    Only the rows of these nodes are read. Nodes, int64 [n], are distinct and ascending; they are
    numbered from 0. `crow` are the graph's row pointers, if the caller has them.
    """
    place, position = entries(row_pointers(graph) if crow is None else crow, nodes)
    target = graph.edge_index[1][position]
    number = torch.searchsorted(nodes, target).clamp(max=max(nodes.numel() - 1, 0))
    inside = nodes[number] == target
    part = Data(
        x=_rows(graph, nodes),
        edge_index=torch.stack([place[inside], number[inside]]),
        edge_id=position[inside],
        num_nodes=nodes.numel(),
    )
    if graph.edge_weight is not None:
        part.edge_weight = graph.edge_weight[position[inside]]
    return part


def _rows(graph: Data, nodes: Tensor) -> Tensor:
    """Return the features of `nodes`; few of a mapped graph's pages are in memory at a time."""
    x: Tensor = graph.x
    if not is_on_disk(graph) or x.layout == torch.sparse_csr or isinstance(x, SharedRows):
        return take_rows(x, nodes)
    return read_rows(x, graph.pages, nodes)


def _clusters(crow: Tensor, col: Tensor, count: int) -> list[Tensor]:
    """Return `count` sets of nodes, none of them empty, with few edges between them."""
    if count == 1:
        return [torch.arange(crow.numel() - 1)]
    metis = _metis()
    _, label = metis.part_graph(count, metis.CSRAdjacency(crow.numpy(), col.numpy()))
    by_node = torch.as_tensor(label)
    sizes = torch.bincount(by_node, minlength=count).tolist()
    sets = torch.split(torch.argsort(by_node, stable=True), sizes)
    if 0 in sizes:
        raise UserError(f"METIS left some of {count} clusters empty; choose a larger batch_size")
    return list(sets)


def _metis() -> Any:
    problem = "batch=metis needs pymetis: pip install 'homogcl[metis]', or take batch=parts"
    return optional("pymetis", problem)
