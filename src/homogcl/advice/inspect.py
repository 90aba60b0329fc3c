"""A graph looked at before training: what it is like, and whether HomoGCL's premise holds on it.

HomoGCL counts neighbors as positives in so far as they seem to belong together. Labels say
directly whether they do. Without labels, a short training says it: some edges are kept from it,
and where their saliency afterwards is no higher than that of pairs without an edge, neighbors are
not alike in anything that the method could learn. Edges that training saw would not do: message
passing alone makes their ends alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.summary import GraphSummary
from homogcl.homophily.saliency import saliency
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.runs.scores import with_edges_held_out
from homogcl.runs.train import fit_run

METHOD = "grace+homogcl"
LEAST_HOMOPHILY = 0.2  # adjusted: how far above chance neighbors must agree
LEAST_SEPARATION = 0.55  # 0.5: an edge that training did not see looks like any pair of nodes
FEW_HELD_OUT = 20  # with fewer edges held out, their saliency says nothing


@dataclass(frozen=True)
class Components:
    """Connected components of a graph."""

    count: int
    largest: int  # nodes


@dataclass(frozen=True)
class Spread:
    """How the saliency S of some pairs is distributed."""

    pairs: int
    mean: float
    high: float  # share with S > 0.5
    low: float  # share with S < 0.1
    deciles: tuple[float, ...]  # 11, from the least to the greatest


@dataclass(frozen=True)
class Saliency:
    """Saliency after a short training that saw all edges but the held-out ones."""

    epochs: int
    seen: Spread
    held_out: Spread
    random: Spread
    separation: float  # P(S of a held-out edge > S of a pair without an edge), ties counted half


def components(graph: Data) -> Components:
    """Return how many connected components `graph` has, and the size of the largest one."""
    nodes = int(graph.num_nodes or 0)
    source, target = graph.edge_index.numpy()
    ones = np.ones(len(source), dtype=np.int8)
    count, member = connected_components(
        coo_matrix((ones, (source, target)), (nodes, nodes)), directed=False
    )
    return Components(int(count), int(np.bincount(member).max()))


def short_training(graph: Data, *, epochs: int = 15, seed: int = 0) -> Saliency:
    """Return the saliency of edges and of pairs without one after a short training without labels.

    A tenth of the edges is kept from the training. The default method is a quarter as wide as
    usual and its negatives are sampled where there are many nodes, so that it stays short.

    Args:
        graph: Features and edges in both directions, sorted.
        epochs: Steps of the default method.
        seed: Root seed.
    """
    nodes = int(graph.num_nodes or 0)
    if graph.edge_index.size(1) // 2 < 10 * FEW_HELD_OUT:
        raise UserError(
            f"the graph has {graph.edge_index.size(1) // 2} edges, too few to say anything "
            f"about their saliency: it takes {10 * FEW_HELD_OUT}"
        )
    rest, links = with_edges_held_out(graph, "row", seed)
    overrides: dict[str, object] = {"epochs": epochs, "hidden_dim": 128, "out_dim": 64}
    overrides["num_clusters"] = min(10, nodes)
    if nodes > 2048:
        overrides |= {"negatives": "sampled", "num_negatives": 512}
    settings = resolve(METHOD, "", overrides)
    method = fit_run(Run.of(METHOD, settings, rest, seed)).method
    with torch.no_grad():
        r = method.assignment(rest)
    assert r is not None  # the default method has clusters
    pairs = (rest.edge_index, links.edges, links.others)
    s_seen, s_held, s_random = (_saliency(r, each) for each in pairs)
    return Saliency(
        epochs,
        _spread(s_seen),
        _spread(s_held),
        _spread(s_random),
        separation(s_held, s_random),
    )


def warnings(summary: GraphSummary, measured: Saliency | None) -> list[str]:
    """Return one sentence for each reason to doubt that HomoGCL's premise holds.

    Args:
        summary: Of the graph.
        measured: After a short training, where there was one.
    """
    instead = "use the base method without +homogcl (grace, bgrl), or features alone (mlp, raw)"
    doubts = []
    adjusted = summary.adjusted_homophily
    if adjusted is not None and adjusted < LEAST_HOMOPHILY:
        doubts.append(
            f"neighbors share a class little more often than chance (edge homophily "
            f"{summary.homophily:.2f}, adjusted {adjusted:.2f} < {LEAST_HOMOPHILY}), so as "
            f"positives they would mislead: {instead}"
        )
    if measured is not None and measured.separation < LEAST_SEPARATION:
        doubts.append(
            f"an edge kept from training looks like any pair of nodes (its saliency is the higher "
            f"one in {measured.separation:.0%} of cases, chance is 50%), so neighbors seem not to "
            f"belong together: {instead}"
        )
    if summary.edges and summary.isolated > summary.nodes / 2:
        doubts.append(
            f"{summary.isolated:,} of {summary.nodes:,} nodes have no edge, and there is nothing "
            "to learn for them but their features"
        )
    return doubts


def separation(edges: Tensor, others: Tensor) -> float:
    """Return how often a score of `edges` is above one of `others`, ties counted half."""
    is_edge = torch.cat([torch.ones(edges.numel()), torch.zeros(others.numel())])
    return float(roc_auc_score(is_edge.numpy(), torch.cat([edges, others]).numpy()))


def _saliency(r: Tensor, pairs: Tensor) -> Tensor:
    """Return S of pairs in any order, [P]."""
    return saliency(r, pairs[:, torch.argsort(pairs[0], stable=True)])


def _spread(s: Tensor) -> Spread:
    points = torch.linspace(0, 1, 11, dtype=torch.float64)
    ordered = s.double().sort().values
    deciles = ordered[(points * (ordered.numel() - 1)).round().long()]
    return Spread(
        pairs=s.numel(),
        mean=float(s.mean()),
        high=float((s > 0.5).double().mean()),
        low=float((s < 0.1).double().mean()),
        deciles=tuple(deciles.tolist()),
    )
