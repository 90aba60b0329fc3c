"""A graph that somebody holds, prepared for a method as the settings say."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.held.graph import HeldGraph, as_graph
from homogcl.data.load import prepared
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
    edge_index, x = graph.get("edge_index"), graph.get("x")
    if edge_index is None and trained_on is not None:
        edge_index = torch.empty(2, 0, dtype=torch.int64)
    structural = bool(graph.get("structural"))
    replaced = settings.data.features == "structural" and not structural
    from_edges = graph.get("edge_index") is not None and (x is None or replaced)
    x = features_of_edges(graph, seed) if from_edges else x
    parts = Data(x=x, edge_index=edge_index, edge_weight=graph.get("edge_weight"))
    if labels_for:
        for key in ("y", *MASKS):
            if graph.get(key) is None:
                raise UserError(f"{labels_for}, but the graph has no {key}")
            parts[key] = graph[key]
        for key in MASKS:
            # -1 says that a node has no label, which nothing can be learned from.
            parts[key] = parts[key] & (parts.y >= 0)
    result = prepared(parts, "the graph")
    result.ids, result.structural = original_ids(graph), structural or from_edges
    for key in () if from_edges else ("feature_names", "columns", "recipe"):
        if graph.get(key) is not None:
            result[key] = graph[key]
    if trained_on is not None:
        result = in_order(result, trained_on.feature_names)
    scale_features(result, settings.data.features, recipe)
    return result
