"""Random views of a graph. Each function takes a generator and leaves the graph as it was.

A view is a `Data` with `x`, `edge_index`, `edge_weight` where the graph has it, and `edge_id`, the
position of each of its edges in the graph. Where its features are others than the graph's it is a
`ChangedView`. A graph with a `pattern` has views with one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config, Probability
from homogcl.core.csr import places
from homogcl.nn.changed import ChangedView, changed_view, source_features
from homogcl.nn.sparse import Pattern


def clean_view(graph: Data) -> Data:
    """Return the graph itself as a view: every edge, every feature, no labels."""
    edge_id = torch.arange(graph.edge_index.size(1), device=graph.edge_index.device)
    view = Data(x=graph.x, edge_index=graph.edge_index, edge_id=edge_id, num_nodes=graph.num_nodes)
    if graph.edge_weight is not None:
        view.edge_weight = graph.edge_weight
    if "pattern" in graph:
        view.pattern = graph.pattern
    return view


def drop_edges(graph: Data, probability: float | Tensor, rng: torch.Generator) -> Data:
    """Return a view without the edges that an independent draw for each direction removes.

    Args:
        graph: A graph, or a view of one.
        probability: Of dropping an edge: one for all, or one per edge, [E].
        rng: Generator of the draws.
    """
    view = graph if "edge_id" in graph else clean_view(graph)
    survives = keep(view.edge_index.size(1), probability, rng).to(view.edge_index.device)
    place = places(survives)
    smaller = Data(
        x=view.x,
        # Row by row, as torch takes columns of a matrix several times slower.
        edge_index=torch.stack([row.index_select(0, place) for row in view.edge_index]),
        edge_id=view.edge_id.index_select(0, place),
        num_nodes=view.num_nodes,
    )
    if view.edge_weight is not None:
        smaller.edge_weight = view.edge_weight.index_select(0, place)
    if "pattern" in view:
        smaller.pattern = Pattern.of_graph(view).part(survives, smaller.edge_index)
    return smaller


def mask_features(graph: Data, probability: float | Tensor, rng: torch.Generator) -> Data:
    """Return a view in which whole feature columns, drawn once for all nodes, are zero.

    Args:
        graph: A graph, or a view of one.
        probability: Of masking a column: one for all, or one per column, [d].
        rng: Generator of the draws.
    """
    view = graph if "edge_id" in graph else clean_view(graph)
    survives = keep(graph.num_features, probability, rng).to(graph.x.device)
    return changed_view(view, graph.x, places(survives.logical_not()))


def shuffle_features(graph: Data, order: Tensor) -> Data:
    """Return the graph in which node i has the features of node `order[i]`, [N]."""
    if not isinstance(graph, ChangedView):
        return changed_view(graph, graph.x, order=order)
    if "order" in graph:
        order = graph.order.index_select(0, order)
    return changed_view(graph, source_features(graph), graph.get("masked"), order)


def augment(
    graph: Data, drop_edge: float | Tensor, mask_feature: float | Tensor, rng: torch.Generator
) -> Data:
    """Return a view with edges dropped and feature columns masked at these rates."""
    return mask_features(drop_edges(graph, drop_edge, rng), mask_feature, rng)


Rates = tuple[float, float]  # at which a view loses edges, and feature columns


class ViewRates(Config):
    """Probabilities that each of two views loses an edge or a feature column."""

    drop_edge_1: Probability = 0.4
    drop_edge_2: Probability = 0.4
    mask_feature_1: Probability = 0.1
    mask_feature_2: Probability = 0.1

    @property
    def of_views(self) -> tuple[Rates, Rates]:
        """The rates of each view."""
        return (self.drop_edge_1, self.mask_feature_1), (self.drop_edge_2, self.mask_feature_2)


class EqualRates(Config):
    """Probabilities that either of two views loses an edge or a feature column."""

    drop_edge: Probability = 0.4
    mask_feature: Probability = 0.1

    @property
    def of_views(self) -> tuple[Rates, Rates]:
        """The rates of each view."""
        return 2 * ((self.drop_edge, self.mask_feature),)


@dataclass(frozen=True)
class TwoViews:
    """Two views of one graph."""

    first: Data
    second: Data


def two_views(graph: Data, rates: ViewRates | EqualRates, rng: torch.Generator) -> TwoViews:
    """Return two views, each augmented at its rates."""
    return TwoViews(*(augment(graph, *each, rng) for each in rates.of_views))


def keep(count: int, probability: float | Tensor, rng: torch.Generator) -> Tensor:
    """Return which of `count` things survive being dropped with `probability`, bool [count]."""
    draws = torch.rand(count, generator=rng, device=rng.device)
    return draws >= (
        probability.to(draws.device) if isinstance(probability, Tensor) else probability
    )
