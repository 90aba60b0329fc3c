"""What is known of a run's embeddings and graph: scores, and the advice of `inspect`."""

from __future__ import annotations

import torch
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from torch_geometric.data import Data

from homogcl.advice.inspect import conclusions
from homogcl.advice.neighborhoods import likeness
from homogcl.core.errors import UserError
from homogcl.data.summary import GraphSummary
from homogcl.evaluate.saliency import saliency_scores
from homogcl.evaluate.tasks import TaskInputs
from homogcl.homophily.selection import modularity
from homogcl.pages.charts import Floats, Integers
from homogcl.runs.tasks import task

MOST_PROBED = 50_000  # nodes, beyond which a probe takes minutes


def probe_score(inputs: TaskInputs) -> dict[str, str]:
    """Return the accuracy of a linear probe where there are labels and a split for it."""
    if inputs.labels is None or inputs.masks is None or len(inputs.embedding) > MOST_PROBED:
        return {}
    try:
        accuracy = task("probe").score(inputs)["test_accuracy"]
    except UserError:  # a part of the split has no label
        return {}
    return {"Accuracy of a linear probe on test nodes": f"{100 * accuracy:.1f} %"}


def cluster_scores(clusters: Integers, edges: Integers, labels: Integers | None) -> dict[str, str]:
    """Return what edges [2, E] and labels [N] say of the clusters [N] on the map."""
    nodes = torch.as_tensor(clusters, dtype=torch.int64)
    value = modularity(nodes, torch.as_tensor(edges), int(nodes.max()) + 1)
    scores = {"Modularity of the clusters": f"{value:.3f}"}
    if labels is None:
        return scores
    pair = labels[labels >= 0], clusters[labels >= 0]
    nmi, ari = normalized_mutual_info_score(*pair), adjusted_rand_score(*pair)
    agreement = {"NMI of clusters and classes": f"{nmi:.3f}", "ARI": f"{ari:.3f}"}
    return agreement | scores


def edge_score(s: Floats, edges: Integers, labels: Integers | None) -> dict[str, str]:
    """Return how well saliency [E] tells edges within a class from others."""
    auc = None if labels is None else saliency_scores(s, edges, labels).get("saliency_auc")
    return {} if auc is None else {"Saliency tells edges within a class (AUC)": f"{auc:.3f}"}


def graph_advice(graph: Data, summary: GraphSummary, seed: int) -> list[str]:
    """Return what `inspect` says of the neighbors in a graph, one sentence each."""
    alike = likeness(graph, seed)
    sentences = [*([alike.measured] if alike else []), *conclusions(summary, alike)]
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences]
