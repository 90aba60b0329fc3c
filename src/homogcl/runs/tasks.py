"""What embeddings can be scored on, and what a graph must have for it."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.features import FeatureKind, normalize
from homogcl.data.structural import structural_features
from homogcl.evaluate import Links, hold_out

# Each task with the metric that shows it was done.
TASKS = {
    "probe": "test_accuracy",
    "cluster": "nmi",
    "cluster-raw": "raw_nmi",
    "knn": "knn_test_accuracy",
    "links": "link_auc",
    "similarity": "positive_similarity",
    "saliency": "edge_homophily",
    "unlabeled": "modularity",
}
DEFAULT_TASKS = ("probe", "cluster")
NEED_LABELS = ("probe", "cluster", "cluster-raw", "knn", "saliency")
# Cheap enough to be scored during the training.
MILESTONE_TASKS = ("probe", "similarity", "saliency", "unlabeled")


def tasks_at_milestones(tasks: Sequence[str]) -> tuple[str, ...]:
    """Return those of a run's tasks that its milestones score: the cheap ones, else the probe."""
    return tuple(task for task in tasks if task in MILESTONE_TASKS) or ("probe",)


def check_labels(graph: Data, tasks: Sequence[str]) -> None:
    """Refuse a task that compares with labels where the graph has none."""
    wanted = [task for task in tasks if task in NEED_LABELS]
    if wanted and ("y" not in graph or not bool((graph.y >= 0).any())):
        name = graph.get("name") or "the graph"
        raise UserError(
            f"{name} has no labels, and the task {wanted[0]} compares with them: name a column of "
            "the nodes' file as label, or take the task links"
        )


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
    seen = copy.copy(graph)
    seen.edge_index = graph.edge_index[:, links.kept]
    if "edge_weight" in graph:
        seen.edge_weight = graph.edge_weight[links.kept]
    if graph.get("structural"):
        weight = seen.get("edge_weight")
        made = structural_features(
            seen.edge_index, nodes, graph.num_features, seed=seed, edge_weight=weight
        )
        seen.x = normalize(made, features)
    return seen, links
