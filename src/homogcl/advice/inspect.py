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
from homogcl.data.edges import undirected
from homogcl.data.load import edge_homophily
from homogcl.homophily.clusters import saliency
from homogcl.homophily.plugin import HomoGCL
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.runs.scores import with_edges_held_out
from homogcl.runs.train import fit_run

METHOD = "grace+homogcl"
LEAST_HOMOPHILY = 0.2  # adjusted: how far above chance neighbors must agree
LEAST_SEPARATION = 0.55  # 0.5: an edge that training did not see looks like any pair of nodes
FEW_HELD_OUT = 20  # with fewer edges held out, their saliency says nothing


@dataclass(frozen=True)
class Facts:
    """A graph in numbers; an edge counts once, whichever way or ways it is listed."""

    nodes: int
    edges: int
    features: int
    density: float  # share of all pairs of nodes that are joined
    self_loops: int
    duplicates: int  # rows of `edge_index` that repeat another one
    degree_min: int
    degree_median: float
    degree_max: int
    isolated: int
    components: int
    largest_component: int  # nodes
    classes: int
    labeled_edges: int  # edges both of whose ends have a label
    homophily: float | None  # share of them that join equal labels
    adjusted_homophily: float | None  # the same above chance: 0 as by chance, 1 all


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


def facts(graph: Data) -> Facts:
    """Return size, degrees, components and, with labels, homophily of `graph`.

    Args:
        graph: `edge_index` in any order, one way or both, with or without self-loops; `y` is
            below 0 where a node has no label.
    """
    nodes = int(graph.num_nodes or 0)
    rows = graph.edge_index
    loops = int((rows[0] == rows[1]).sum())
    distinct = int(torch.unique(rows[0] * nodes + rows[1]).numel())
    edges, _ = undirected(rows, nodes)
    degree = torch.bincount(edges[0], minlength=nodes)
    count, largest = _components(edges, nodes)
    y = graph.get("y")
    known = edges[:, :0] if y is None else edges[:, (y[edges] >= 0).all(dim=0)]
    measured = y is not None and known.size(1) > 0
    return Facts(
        nodes=nodes,
        edges=edges.size(1) // 2,
        features=graph.num_features,
        density=edges.size(1) / max(1, nodes * (nodes - 1)),
        self_loops=loops,
        duplicates=rows.size(1) - distinct,
        degree_min=int(degree.min()),
        degree_median=float(degree.double().quantile(0.5)),
        degree_max=int(degree.max()),
        isolated=int((degree == 0).sum()),
        components=count,
        largest_component=largest,
        classes=0 if y is None else int(y.max()) + 1,
        labeled_edges=known.size(1) // 2,
        homophily=edge_homophily(known, y) if measured else None,
        adjusted_homophily=adjusted_homophily(known, y) if measured else None,
    )


def adjusted_homophily(edge_index: Tensor, y: Tensor) -> float:
    """Return edge homophily above chance (Platonov et al., 2023), nan if there is but one class.

    With h the share of edges within a class and p_k the share of edge ends in class k, it is
    (h - Σ p_k²) / (1 - Σ p_k²): 1 if all edges keep the class, 0 if they join as by chance.

    Args:
        edge_index: Edges in both directions, [2, E].
        y: Labels, [N].
    """
    share = torch.bincount(y[edge_index[0]]).double() / edge_index.size(1)
    chance = float(share.square().sum())
    if chance >= 1:
        return float("nan")
    return (edge_homophily(edge_index, y) - chance) / (1 - chance)


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
    kept, links = with_edges_held_out(graph, "row", seed)
    given: dict[str, object] = {"epochs": epochs, "hidden_dim": 128, "out_dim": 64}
    given["num_clusters"] = min(10, nodes)
    if nodes > 2048:
        given |= {"negatives": "sampled", "num_negatives": 512}
    settings = resolve(METHOD, "", given)
    method = fit_run(Run.of(METHOD, settings, kept, seed)).method
    assert isinstance(method, HomoGCL)
    with torch.no_grad():
        r = method.assignment(kept)
    pairs = (kept.edge_index, links.edges, links.others)
    s_seen, s_held, s_random = (_saliency(r, each) for each in pairs)
    return Saliency(
        epochs,
        _spread(s_seen),
        _spread(s_held),
        _spread(s_random),
        separation(s_held, s_random),
    )


def warnings(known: Facts, measured: Saliency | None) -> list[str]:
    """Return one sentence for each reason to doubt that HomoGCL's premise holds.

    Args:
        known: Of the graph.
        measured: After a short training, where there was one.
    """
    instead = "use the base method without +homogcl (grace, bgrl), or features alone (mlp, raw)"
    found = []
    adjusted = known.adjusted_homophily
    if adjusted is not None and adjusted < LEAST_HOMOPHILY:
        found.append(
            f"neighbors share a class little more often than chance (edge homophily "
            f"{known.homophily:.2f}, adjusted {adjusted:.2f} < {LEAST_HOMOPHILY}), so as positives "
            f"they would mislead: {instead}"
        )
    if measured is not None and measured.separation < LEAST_SEPARATION:
        found.append(
            f"an edge kept from training looks like any pair of nodes (its saliency is the higher "
            f"one in {measured.separation:.0%} of cases, chance is 50%), so neighbors seem not to "
            f"belong together: {instead}"
        )
    if known.edges and known.isolated > known.nodes / 2:
        found.append(
            f"{known.isolated:,} of {known.nodes:,} nodes have no edge, and there is nothing to "
            "learn for them but their features"
        )
    return found


def separation(edges: Tensor, others: Tensor) -> float:
    """Return how often a score of `edges` is above one of `others`, ties counted half."""
    is_edge = torch.cat([torch.ones(edges.numel()), torch.zeros(others.numel())])
    return float(roc_auc_score(is_edge.numpy(), torch.cat([edges, others]).numpy()))


def _components(edge_index: Tensor, nodes: int) -> tuple[int, int]:
    source, target = edge_index.numpy()
    ones = np.ones(len(source), dtype=np.int8)
    count, member = connected_components(coo_matrix((ones, (source, target)), (nodes, nodes)))
    return int(count), int(np.bincount(member).max())


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
