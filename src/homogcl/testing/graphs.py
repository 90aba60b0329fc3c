"""A small graph, and small changes to graphs, that checks and tests need."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from homogcl.data.check import MASKS
from homogcl.nn.layers import dense


def block_graph() -> Data:
    """Return a connected graph of three blocks of 20 nodes: 16 noisy features, labels, masks.

    Each block is a ring with random chords; a few edges join the blocks, so that most but not
    all edges join nodes of one label. Nodes are shuffled, so that their order tells no label.
    """
    rng = torch.Generator().manual_seed(7)
    blocks, size, features = 3, 20, 16
    nodes = blocks * size
    y = torch.arange(blocks).repeat_interleave(size)

    ring = torch.arange(size)
    rings = [torch.stack([ring, (ring + 1) % size]) + block * size for block in range(blocks)]
    chords = [torch.randint(size, (2, 30), generator=rng) + block * size for block in range(blocks)]
    across = torch.stack([torch.arange(nodes), (torch.arange(nodes) + size) % nodes])[:, ::5]
    pairs = torch.cat([*rings, *chords, across], dim=1)
    pairs = pairs[:, pairs[0] != pairs[1]]

    order = torch.randperm(nodes, generator=rng)
    pairs, y = order[pairs], y[order.argsort()]
    edge_index = coalesce(torch.cat([pairs, pairs.flip(0)], dim=1), num_nodes=nodes)

    centers = torch.randn(blocks, features, generator=rng)
    x = centers[y] + 0.5 * torch.randn(nodes, features, generator=rng)

    turn = torch.randperm(nodes, generator=rng)
    graph = Data(x=x, edge_index=edge_index, y=y)
    for key, nodes_of_mask in zip(MASKS, (turn[:12], turn[12:24], turn[24:]), strict=True):
        graph[key] = torch.zeros(nodes, dtype=torch.bool)
        graph[key][nodes_of_mask] = True
    return graph


def snapshot(graph: Data) -> dict[str, Tensor]:
    """Return copies of all tensors of `graph`, dense."""
    tensors = {key: value for key, value in graph.to_dict().items() if isinstance(value, Tensor)}
    return {key: dense(value).clone() for key, value in tensors.items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    """Return whether two mappings hold the same bits under the same names."""
    return set(left) == set(right) and all(torch.equal(left[key], right[key]) for key in left)


def permuted(graph: Data, order: Tensor) -> Data:
    """Return the graph with its nodes renumbered: node `order[i]` becomes node i."""
    place = order.argsort()
    edge_index = coalesce(place[graph.edge_index], num_nodes=graph.num_nodes)
    names = ("x", "y", *MASKS)
    return Data(edge_index=edge_index, **{key: graph[key][order] for key in names if key in graph})


def with_isolated(graph: Data, count: int) -> Data:
    """Return the graph with `count` more nodes of class 0 and without edges."""
    larger = graph.clone()
    larger.x = torch.cat([graph.x, graph.x[:count].flip(1)])
    larger.y = torch.cat([graph.y, graph.y.new_zeros(count)])
    for key in MASKS:
        larger[key] = torch.cat([graph[key], graph[key].new_zeros(count)])
    return larger
