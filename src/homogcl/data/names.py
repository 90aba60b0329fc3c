"""Names of nodes and classes; their numbers where a graph comes without names."""

from __future__ import annotations

from typing import Any

from torch_geometric.data import Data


def node_ids(graph: Data) -> list[str]:
    """Return each node's id as its file has it, `graph.ids`, else its number."""
    return _names(graph, "ids", int(graph.num_nodes or 0))


def original_ids(graph: Data) -> list[Any]:
    """Return each node's id as its file has it, whole numbers as numbers; else its number."""
    ids = graph.get("ids")
    return list(range(int(graph.num_nodes or 0))) if ids is None else list(ids)


def class_names(graph: Data) -> list[str]:
    """Return each class's name as its file has it, `graph.class_names`, else its number."""
    labels = graph.y if "y" in graph else None
    classes = int(labels.max()) + 1 if labels is not None and labels.numel() else 0
    return _names(graph, "class_names", classes)


def _names(graph: Data, key: str, count: int) -> list[str]:
    return [str(name) for name in (graph[key] if key in graph else range(count))]
