"""The metrics of a trained method, task by task."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.held_out import Links, hold_out
from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.data.features import FeatureKind
from homogcl.data.scaling import scaling_of
from homogcl.data.structural import structural_features
from homogcl.evaluate.arrays import Array
from homogcl.evaluate.tasks import TaskInputs
from homogcl.homophily.edges import cluster_saliencies
from homogcl.methods.base import Method
from homogcl.methods.forms import LAST
from homogcl.methods.inference import embeddings, logits
from homogcl.runs.tasks import DEFAULT_TASKS, check_labels, task


def scores(
    method: Method,
    graph: Data,
    seed: int,
    tasks: Sequence[str] = DEFAULT_TASKS,
    links: Links | None = None,
    form: str = LAST,
) -> dict[str, float]:
    """Return the metrics of a trained method on the tasks, by the names that records use.

    Args:
        method: The trained method.
        graph: What it was trained on, or another graph that it takes.
        seed: Root seed of what tasks draw.
        tasks: Names of tasks; those that retrain need `links`, see `runs.grid.score_run`.
        links: Edges that the training did not see.
        form: What the embeddings consist of.
    """
    check_labels(graph, tasks)
    inputs = inputs_of(embeddings(method, graph, form), graph, seed, links=links, method=method)
    metrics: dict[str, float] = {}
    for name in tasks:
        metrics |= task(name).score(inputs)
    return metrics


def inputs_of(
    embedding: Array,
    graph: Data,
    seed: int,
    *,
    links: Links | None = None,
    method: Method | None = None,
) -> TaskInputs:
    """Return what tasks can look at: the arrays of a graph, and what a method can compute on it."""
    masks = tuple(graph[key] for key in MASKS if graph.get(key) is not None)
    arrays = TaskInputs(
        embedding,
        graph.edge_index,
        seed,
        labels=graph.get("y"),
        masks=masks if len(masks) == len(MASKS) else None,
        links=links,
    )
    if method is None:
        return arrays
    supervised = "Y" in method.training_data
    return dataclasses.replace(
        arrays,
        logits=(lambda: logits(method, graph)) if supervised else None,
        saliency=lambda: cluster_saliencies(method, graph, seed=seed),
        model=method,
        graph=graph,
    )


def without_test_labels(graph: Data, purpose: str) -> Data:
    """Return the graph without labels of test nodes, with validation nodes in their place.

    Args:
        graph: A graph with labels and a split.
        purpose: What the labels are for, for the error where there are none.
    """
    for key in ("y", "train_mask", "val_mask"):
        if graph.get(key) is None:
            raise UserError(f"{purpose} needs labels and a split: the graph has no {key}")
    for key in ("train_mask", "val_mask"):
        if not bool((graph.y[graph[key]] >= 0).any()):
            raise UserError(f"{purpose} needs labels and a split: {key} has no labeled node")
    part = copy.copy(graph)
    part.y = torch.where(graph.train_mask | graph.val_mask, graph.y, -1)
    part.test_mask = graph.val_mask
    return part


def with_edges_held_out(graph: Data, features: FeatureKind, seed: int) -> tuple[Data, Links]:
    """Return the graph without a tenth of its edges, and what to score on them.

    Args:
        graph: The whole graph.
        features: How features are normalized: those made of the edges are made anew, since they
            would tell which edges were held out.
        seed: Root seed, from whose stream "links" edges and pairs without an edge are drawn.
    """
    nodes = int(graph.num_nodes or 0)
    links = hold_out(graph.edge_index, nodes, stream(seed, "links"))
    part = copy.copy(graph)
    part.edge_index = graph.edge_index[:, links.remaining]
    if "edge_weight" in graph:
        part.edge_weight = graph.edge_weight[links.remaining]
    if graph.get("structural"):
        weight = part.get("edge_weight")
        x = structural_features(
            part.edge_index, nodes, graph.num_features, seed=seed, edge_weight=weight
        )
        part.x = scaling_of(x, "row" if features == "auto" else features).apply(x)
    return part, links
