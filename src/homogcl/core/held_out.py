"""Edges held out of a graph, and pairs of nodes that no edge joins."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from homogcl.core.errors import UserError


@dataclass(frozen=True)
class Links:
    """Edges held out of a graph, and as many pairs of nodes that no edge joins.

    Attributes:
        remaining: Mask [E] of the edges that are left, both directions of each.
        edges: The held-out edges, each in one direction, [2, P].
        others: Pairs without an edge in the whole graph, [2, P].
    """

    remaining: Tensor
    edges: Tensor
    others: Tensor


def hold_out(edge_index: Tensor, nodes: int, rng: torch.Generator, share: float = 0.1) -> Links:
    """Return a random share of the edges, and pairs without an edge drawn uniformly.

    Args:
        edge_index: Edges in both directions, without self-loops, int64 [2, E].
        nodes: The number of nodes N.
        rng: Where edges and pairs are drawn from.
        share: How many of the edges are held out; at least one is.
    """
    source, target = edge_index.cpu()
    once = (source < target).nonzero().squeeze(1)
    if len(once) < 2:
        raise UserError("link prediction needs at least two edges, one of them to be held out")
    count = max(1, round(share * len(once)))
    edges = edge_index.cpu()[:, once[torch.randperm(len(once), generator=rng)[:count]]]
    keys = torch.minimum(source, target) * nodes + torch.maximum(source, target)
    remaining = ~torch.isin(keys, edges[0] * nodes + edges[1])
    others = _pairs(torch.unique(keys), nodes, count, rng)
    return Links(remaining.to(edge_index.device), edges, others)


def rejoined(edges: Tensor, rng: torch.Generator) -> Tensor:
    """Return the ends of `edges` [2, P] joined anew at random, [2, P]: pairs of the same degrees.

    Some of them may be edges, or join a node with itself.
    """
    count = edges.size(1)
    swapped = torch.rand(count, generator=rng) < 0.5
    source = torch.where(swapped, edges[1], edges[0])
    target = torch.where(swapped, edges[0], edges[1])
    return torch.stack([source, target[torch.randperm(count, generator=rng)]])


def _pairs(edge_keys: Tensor, nodes: int, count: int, rng: torch.Generator) -> Tensor:
    """Return different pairs (i < j) whose key i·N + j is not among `edge_keys`."""
    free = nodes * (nodes - 1) // 2 - len(edge_keys)
    if free < count:
        raise UserError(f"link prediction needs {count} pairs without an edge; there are {free}")
    pairs = torch.empty(0, dtype=torch.int64)
    while len(pairs) < count:
        ends = torch.randint(nodes, (2, 2 * count), generator=rng).sort(dim=0).values
        keys = (ends[0] * nodes + ends[1])[ends[0] < ends[1]]
        keys = torch.cat([pairs, keys[~torch.isin(keys, edge_keys)]])
        # Each pair once, in the order of drawing, so that the first ones are a uniform draw.
        values, place = torch.unique(keys, return_inverse=True)
        first = torch.full((len(values),), len(keys)).scatter_reduce(
            0, place, torch.arange(len(keys)), "amin"
        )
        pairs = keys[first.sort().values]
    pairs = pairs[:count]
    return torch.stack([pairs // nodes, pairs % nodes])
