"""A graph that somebody holds, prepared for a method as the settings say."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS, validate
from homogcl.data.edges import undirected
from homogcl.data.features import compact
from homogcl.data.held.graph import HeldGraph, as_graph
from homogcl.data.names import original_ids
from homogcl.data.recipe import scale_features
from homogcl.data.structural import features_of_edges
from homogcl.presets.resolve import Settings
from homogcl.runs.compatibility import TrainingGraph, in_order


def graph_input(
    held: HeldGraph,
    settings: Settings,
    seed: int,
    labels_for: str | None = None,
    trained_on: TrainingGraph | None = None,
) -> Data:
    """Return the graph prepared, with labels only where something is said to use them.

    Features are prepared as those of the graph that was trained on, if there is one. Then nodes may
    come without edges, too.
    """
    recipe = None if trained_on is None else trained_on.recipe_for_others
    graph = as_graph(held, seed=seed, recipe=recipe)
    edge_index, x, weight = (graph.get(key) for key in ("edge_index", "x", "edge_weight"))
    if edge_index is None and trained_on is not None:
        edge_index = torch.empty(2, 0, dtype=torch.int64)
    result = Data(x=x, edge_index=edge_index)
    result.structural = bool(graph.get("structural"))
    replaced = settings.data.features == "structural" and not result.structural
    if graph.get("edge_index") is not None and (x is None or replaced):
        result.x, result.structural = features_of_edges(graph, seed), True
    else:
        for key in ("feature_names", "columns", "recipe"):
            if graph.get(key) is not None:
                result[key] = graph[key]
    if weight is not None:
        result.edge_weight = weight
    if labels_for:
        for key in ("y", *MASKS):
            if graph.get(key) is None:
                raise UserError(f"{labels_for}, but the graph has no {key}")
            result[key] = graph[key]
        for key in MASKS:
            # -1 says that a node has no label, which nothing can be learned from.
            result[key] = result[key] & (result.y >= 0)
    validate(result, "the graph")
    result.edge_index, weight = undirected(result.edge_index, result.x.size(0), weight)
    if weight is not None:
        result.edge_weight = weight.to(torch.float32)
    result.x, result.ids = compact(result.x), original_ids(graph)
    if trained_on is not None:
        result = in_order(result, trained_on.feature_names)
    scale_features(result, settings.data.features, recipe)
    return result
