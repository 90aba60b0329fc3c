"""Edges beside decoys, each looked at in a graph that does not hold it.

An edge joins the averages that would judge it. So the edges are dealt to folds, and those of a fold
are looked at in the graph without them, beside decoys: pairs of their own ends, joined anew, that
are no edges of the graph. Decoys have the degrees of edges, so that degrees alone tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.held_out import rejoined
from homogcl.nn.operators import with_edges
from homogcl.nn.sparse import take_rows
from homogcl.nn.unit_rows import of_length

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# A graph without some edges -> vectors fitted to it, once or more, each [N, d].
Embed = Callable[[Data], Sequence[Tensor]]

_PAIRS = 4096  # whose vectors are gathered at a time


@dataclass(frozen=True)
class Pairs:
    """Pairs of nodes, and how alike they are in a graph that does not hold their fold.

    Attributes:
        ends: The two nodes, [2, P].
        columns: The cosines of `pair_cosines`, [P, 1 + k].
        fold: The fold, [P].
    """

    ends: Ints
    columns: Floats
    fold: Ints


def edges_once(graph: Data) -> Tensor:
    """Return each edge of `graph` once, from the lower to the higher node, sorted, [2, E/2]."""
    edge_index: Tensor = graph.edge_index.cpu()
    return edge_index[:, edge_index[0] < edge_index[1]]


def edge_numbers(edges: Tensor, pairs: Tensor, nodes: int) -> Tensor:
    """Return the number among the sorted `edges` [2, E/2] of each of `pairs` [2, P]; -1 if none."""
    keys = edges[0] * nodes + edges[1]
    wanted = pairs.amin(dim=0) * nodes + pairs.amax(dim=0)
    if not len(keys):
        return torch.full_like(wanted, -1)
    place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
    return torch.where(keys[place] == wanted, place, -1)


def edges_and_decoys(
    graph: Data, embed: Embed, rng: torch.Generator, folds: int
) -> tuple[Pairs, Pairs]:
    """Return each edge of `graph` once, sorted, and decoys, about as many.

    Args:
        graph: Edges in both directions, sorted, without self-loops.
        embed: Returns k kinds of vectors of a graph with the same nodes and fewer edges.
        rng: Deals the edges to folds and draws the decoys; of the CPU.
        folds: How many folds; there are at least as many edges.
    """
    edges = edges_once(graph)
    fold = torch.randperm(edges.size(1), generator=rng) % folds
    number = edge_numbers(edges, graph.edge_index.cpu(), int(graph.num_nodes or 0))
    columns: dict[int, Floats] = {}
    decoys = []
    for k in range(folds):
        inside = fold == k
        rest = with_edges(graph, (fold[number] != k).to(graph.edge_index.device))
        others = _decoys(edges[:, inside], edges, int(graph.num_nodes or 0), rng)
        cosines = pair_cosines(rest.x, embed(rest), torch.cat([edges[:, inside], others], dim=1))
        count = int(inside.sum())
        columns[k] = cosines[:count]
        decoys.append(Pairs(others.numpy(), cosines[count:], np.full(others.size(1), k)))
    in_order = np.empty((edges.size(1), columns[0].shape[1]))
    for k, cosines in columns.items():
        in_order[(fold == k).numpy()] = cosines
    return Pairs(edges.numpy(), in_order, fold.numpy()), Pairs(
        np.concatenate([each.ends for each in decoys], axis=1),
        np.concatenate([each.columns for each in decoys]),
        np.concatenate([each.fold for each in decoys]),
    )


def pair_cosines(x: Tensor, vectors: Sequence[Tensor], pairs: Tensor) -> Floats:
    """Return the cosines of `pairs` [2, P] by k kinds of vectors, [P, 1 + k].

    The first column is of the features `x` less their mean.
    """
    center = _mean_row(x)
    parts = []
    for some in torch.split(pairs, _PAIRS, dim=1):
        of_x = [of_length(_dense_rows(x, ends) - center, 1.0) for ends in some]
        of_z = [[of_length(_dense_rows(z, ends), 1.0) for ends in some] for z in vectors]
        parts.append(torch.stack([(a * b).sum(dim=1) for a, b in (of_x, *of_z)], dim=1))
    cosines: Floats = torch.cat(parts).double().numpy()
    return cosines


def _decoys(fold: Tensor, edges: Tensor, nodes: int, rng: torch.Generator) -> Tensor:
    """Return the ends of the edges of a `fold` [2, P] joined anew, without edges and loops."""
    pairs = rejoined(fold, rng)
    return pairs[:, (pairs[0] != pairs[1]) & (edge_numbers(edges, pairs, nodes) < 0)]


def _dense_rows(x: Tensor, rows: Tensor) -> Tensor:
    return take_rows(x.detach(), rows.to(x.device)).to_dense().float().cpu()


def _mean_row(x: Tensor) -> Tensor:
    """Return the mean of the rows, [d]."""
    if x.layout == torch.strided:
        return x.float().mean(dim=0).cpu()
    columns, values = x.col_indices().long().cpu(), x.values().float().cpu()
    return torch.zeros(x.size(1)).index_add_(0, columns, values) / max(1, x.size(0))
