"""How surely the ends of an edge belong together: a probability that is fitted without labels.

A logistic model tells edges from decoys (`homophily.decoys`) by cosines of their ends, of
features and of embeddings of one kind or more; each fold is judged by a model of the others. Its
probability p counts with those of the other edges of both ends: a node that fits few of its
neighbors makes its edges doubtful. What comes out is turned into the probability that an edge is
none of those that look like decoys.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.decoys import (
    Embed,
    Floats,
    Ints,
    Pairs,
    edge_numbers,
    edges_and_decoys,
    edges_once,
    pair_cosines,
)

FOLDS = 10
MANY_EDGES = 200_000  # from which on half as many folds do
FEWEST_TO_FIT = 100  # with fewer there is nothing to fit
OTHERS = 0.15  # weight of the other edges of each end, where the edge itself weighs 1
PRIOR_EDGES = 2  # of mean probability, that each end has besides its own
_LOW = 0.5  # quantile of the decoys' scores; edges below it count as decoy-like


def edge_scores(graph: Data, embed: Embed, rng: torch.Generator) -> Tensor:
    """Return how surely the ends of each edge belong together, [E], from 0 to 1.

    Both directions of an edge have one score. Where edges or decoys are too few to fit anything
    to, it is the cosine of the first embeddings, brought to 0 to 1.

    Args:
        graph: Edges in both directions, sorted, without self-loops.
        embed: Returns embeddings of a graph with the same nodes and fewer edges, of one kind or
            more.
        rng: Deals the edges to folds and draws the decoys; of the CPU.
    """
    edges, nodes = edges_once(graph), int(graph.num_nodes or 0)
    count = edges.size(1)
    scores = None
    if count >= FEWEST_TO_FIT:
        folds = FOLDS if count < MANY_EDGES else FOLDS // 2
        scores = probabilities(*edges_and_decoys(graph, embed, rng, folds), nodes)
    if scores is None and count:
        scores = (1 + pair_cosines(graph.x, embed(graph), edges)[:, 1]) / 2
    if scores is None:
        return torch.zeros(0)
    number = edge_numbers(edges, graph.edge_index.cpu(), nodes)
    return torch.from_numpy(scores).float().clamp(0, 1)[number]


def probabilities(edges: Pairs, decoys: Pairs, nodes: int) -> Floats | None:
    """Return the probability that each of `edges` is unlike decoys, [E/2]; None without decoys."""
    if min(len(edges.fold), len(decoys.fold)) < FEWEST_TO_FIT // 2:
        return None
    of_edges, of_decoys = cross_fitted(edges, decoys)
    s, s_decoys = with_others(of_edges, edges.ends, of_decoys, decoys.ends, nodes)
    model = LogisticRegression(C=np.inf, max_iter=1000)
    odds = logit(np.clip(np.concatenate([s, s_decoys]), 1e-9, 1 - 1e-9))[:, None]
    model.fit(odds, np.arange(len(odds)) < len(s))
    # The ratio of the densities of edges and decoys, at each edge.
    ratio = np.exp(model.decision_function(odds[: len(s)])) * len(s_decoys) / len(s)
    return true_share(ratio, alike_share(s, s_decoys))


def cross_fitted(edges: Pairs, decoys: Pairs) -> tuple[Floats, Floats]:
    """Return the probability of being an edge, of edges and decoys, by models of other folds."""
    of_edges, of_decoys = np.empty(len(edges.fold)), np.empty(len(decoys.fold))
    for k in np.unique(edges.fold):
        inside, inside_decoys = edges.fold == k, decoys.fold == k
        others, other_decoys = edges.columns[~inside], decoys.columns[~inside_decoys]
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        is_edge = np.arange(len(others) + len(other_decoys)) < len(others)
        model.fit(np.concatenate([others, other_decoys]), is_edge)
        of_edges[inside] = model.predict_proba(edges.columns[inside])[:, 1]
        if inside_decoys.any():
            of_decoys[inside_decoys] = model.predict_proba(decoys.columns[inside_decoys])[:, 1]
    return of_edges, of_decoys


def with_others(
    p: Floats, edges: Ints, p_decoys: Floats, decoys: Ints, nodes: int
) -> tuple[Floats, Floats]:
    """Return the weighted means of p and of the p of all other edges of both ends, two arrays.

    Each end has `PRIOR_EDGES` edges of mean probability besides its own.
    """
    total = np.bincount(edges.ravel(), np.tile(p, 2), nodes) + PRIOR_EDGES * p.mean()
    count = np.bincount(edges.ravel(), minlength=nodes) + PRIOR_EDGES
    of_others = ((total[edges] - p) / (count[edges] - 1)).sum(axis=0)
    # A decoy stands for an edge that its ends would have in place of another one.
    of_decoys = (total[decoys] / count[decoys]).sum(axis=0)
    weight = 1 + 2 * OTHERS
    return (p + OTHERS * of_others) / weight, (p_decoys + OTHERS * of_decoys) / weight


def alike_share(s: Floats, s_decoys: Floats) -> float:
    """Return the share of edges that are like decoys, at most: the ratio of both at low scores."""
    limit = np.quantile(s_decoys, _LOW)
    return float(np.clip(np.mean(s <= limit) / np.mean(s_decoys <= limit), 1e-3, 1.0))


def true_share(ratio: Floats, alike: float) -> Floats:
    """Return 1 - `alike` / ratio: the probability that an edge is not decoy-like.

    Below 1/2 it goes on along its tangent, to 0 at the ratio 0, so that it grows with the ratio
    everywhere.
    """
    return np.where(ratio > 2 * alike, 1 - alike / np.maximum(ratio, 1e-300), ratio / (4 * alike))
