"""Clusters of a graph's nodes by their embeddings, as many as the edges ask for."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from homogcl.core.errors import UserError
from homogcl.homophily.clusters import centroids, nearest_centroid
from homogcl.homophily.selection import modularity

MOST = 30  # clusters that are tried
STARTS = 3  # of k-means; the closest clusters are taken
SAMPLE = 10_000  # nodes that the centroids are found from


@dataclass(frozen=True)
class Partition:
    """A cluster for each node, by falling size; ties go to the one with the lowest node.

    Attributes:
        cluster: The number of each node's cluster, int64 [N].
        count: How many clusters there are.
        modularity: How much denser edges are inside them than by chance.
    """

    cluster: Tensor
    count: int
    modularity: float


def partition(
    z: Tensor, edge_index: Tensor, rng: torch.Generator, count: int | None = None
) -> Partition:
    """Return k-means clusters of the directions of the rows of `z` [N, d].

    Without a `count`, it is the one from 2 to 30 whose clusters have the highest modularity, that
    is, which the edges [2, E] support best; the smallest of equals. No label is needed.
    """
    nodes = len(z)
    if count is not None and not 1 <= count <= nodes:
        raise UserError(f"{count} clusters of {nodes} nodes: give a number from 1 to {nodes}")
    if count is None and (nodes < 2 or edge_index.size(1) == 0):
        raise UserError("without edges nothing says how many clusters there are: give -k")
    rows = functional.normalize(z.detach())
    sample = rows[torch.randperm(nodes, generator=rng)[:SAMPLE]] if nodes > SAMPLE else rows
    counts = range(2, min(MOST, nodes) + 1) if count is None else [count]
    partitions = (_of_count(rows, sample, edge_index, each, rng) for each in counts)
    return max(partitions, key=lambda each: (each.modularity, -each.count))


def _of_count(
    rows: Tensor, sample: Tensor, edge_index: Tensor, count: int, rng: torch.Generator
) -> Partition:
    starts = [centroids(sample, count, rng, None, 50) for _ in range(STARTS)]
    best = min(starts, key=lambda c: float(torch.cdist(sample, c).amin(1).square().sum()))
    cluster = nearest_centroid(rows, best)
    sizes = torch.bincount(cluster, minlength=count)
    used = int((sizes > 0).sum())  # equal rows may leave a cluster without nodes
    node = torch.arange(len(rows))
    first = torch.full((count,), len(rows)).scatter_reduce(0, cluster, node, "amin")
    order = sorted(range(count), key=lambda each: (-int(sizes[each]), int(first[each])))
    cluster = torch.argsort(torch.tensor(order))[cluster]
    return Partition(cluster, used, modularity(cluster, edge_index, used))
