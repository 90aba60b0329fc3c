"""Edges held out of a graph, and pairs of nodes that no edge joins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from homogcl.core.errors import UserError

_TOGETHER: Final = 2**22  # edges that are looked at together
_MOST_SHUFFLED: Final = 2**25  # edges that are all shuffled in order to draw some


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


def hold_out(
    edge_index: Tensor,
    nodes: int,
    rng: torch.Generator,
    share: float = 0.1,
    let_go: Callable[[], None] = lambda: None,
) -> Links:
    """Return a random share of the edges, and pairs without an edge drawn uniformly.

    Args:
        edge_index: Edges in both directions, without self-loops, int64 [2, E].
        nodes: The number of nodes N.
        rng: Where edges and pairs are drawn from.
        share: How many of the edges are held out; at least one is.
        let_go: Gives back the memory of edges that lie on disk and were looked at.
    """
    total = sum(int((source < target).sum()) for source, target in _parts(edge_index, let_go))
    if total < 2:
        raise UserError("link prediction needs at least two edges, one of them to be held out")
    count = max(1, round(share * total))
    edges = _picked(_parts(edge_index, let_go), _drawn(total, count, rng))
    held, _ = (edges[0] * nodes + edges[1]).sort()
    remaining = [~_among(_keys(part, nodes), held) for part in _parts(edge_index, let_go)]

    def joined(pairs: Tensor) -> Tensor:
        wanted, _ = pairs.sort()
        keys = (_keys(part, nodes) for part in _parts(edge_index, let_go))
        present = torch.cat([each[_among(each, wanted)] for each in keys])
        return torch.isin(pairs, present)

    free = nodes * (nodes - 1) // 2 - total
    if free < count:
        raise UserError(f"link prediction needs {count} pairs without an edge; there are {free}")
    others = _pairs(joined, nodes, count, rng)
    return Links(torch.cat(remaining).to(edge_index.device), edges, others)


def rejoined(edges: Tensor, rng: torch.Generator) -> Tensor:
    """Return the ends of `edges` [2, P] joined anew at random, [2, P]: pairs of the same degrees.

    Some of them may be edges, or join a node with itself.
    """
    count = edges.size(1)
    swapped = torch.rand(count, generator=rng) < 0.5
    source = torch.where(swapped, edges[1], edges[0])
    target = torch.where(swapped, edges[0], edges[1])
    return torch.stack([source, target[torch.randperm(count, generator=rng)]])


def _parts(edge_index: Tensor, let_go: Callable[[], None]) -> Iterator[Tensor]:
    for start in range(0, edge_index.size(1), _TOGETHER):
        yield edge_index[:, start : start + _TOGETHER].cpu()
        let_go()


def _keys(pairs: Tensor, nodes: int) -> Tensor:
    """Return a number for each of `pairs` [2, P] that is the same in both directions."""
    return torch.minimum(*pairs) * nodes + torch.maximum(*pairs)


def _among(keys: Tensor, ascending: Tensor) -> Tensor:
    """Return which keys are among others, which are sorted."""
    if not len(ascending):
        return torch.zeros_like(keys, dtype=torch.bool)
    place = torch.searchsorted(ascending, keys).clamp(max=len(ascending) - 1)
    return ascending[place] == keys


def _drawn(total: int, count: int, rng: torch.Generator) -> Tensor:
    """Return different numbers below `total`, drawn uniformly."""
    if total <= _MOST_SHUFFLED:
        return torch.randperm(total, generator=rng)[:count]
    numbers = torch.empty(0, dtype=torch.int64)
    while len(numbers) < count:
        more = torch.randint(total, (2 * count,), generator=rng)
        numbers = _each_once(torch.cat([numbers, more]))
    return numbers[:count]


def _picked(parts: Iterator[Tensor], numbers: Tensor) -> Tensor:
    """Return the edges with these numbers among those from a lower to a higher node, [2, P]."""
    ascending, order = numbers.sort()
    edges = torch.empty(2, len(numbers), dtype=torch.int64)
    before = 0
    for part in parts:
        once = part[:, part[0] < part[1]]
        ends = torch.tensor([before, before + once.size(1)])
        first, last = torch.searchsorted(ascending, ends).tolist()
        edges[:, order[first:last]] = once[:, ascending[first:last] - before]
        before += once.size(1)
    return edges


def _pairs(
    joined: Callable[[Tensor], Tensor], nodes: int, count: int, rng: torch.Generator
) -> Tensor:
    """Return different pairs (i < j) whose keys i·N + j are not `joined`."""
    pairs = torch.empty(0, dtype=torch.int64)
    while len(pairs) < count:
        ends = torch.randint(nodes, (2, 2 * count), generator=rng).sort(dim=0).values
        keys = (ends[0] * nodes + ends[1])[ends[0] < ends[1]]
        pairs = _each_once(torch.cat([pairs, keys[~joined(keys)]]))
    pairs = pairs[:count]
    return torch.stack([pairs // nodes, pairs % nodes])


def _each_once(numbers: Tensor) -> Tensor:
    """Return each number once, in the order of drawing, so that the first ones are uniform."""
    values, place = torch.unique(numbers, return_inverse=True)
    first = torch.full((len(values),), len(numbers)).scatter_reduce(
        0, place, torch.arange(len(numbers)), "amin"
    )
    return numbers[first.sort().values]
