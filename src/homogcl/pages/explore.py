"""From a run folder to the page that shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.seeds import integer
from homogcl.data.load import class_names, node_ids
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.homophily.edges import NUM_CLUSTERS, saliencies
from homogcl.methods.registry import Method
from homogcl.pages.charts import Floats, Integers, SaliencyHistogram
from homogcl.pages.explore_page import Edges, Explorer, Nearest, Nodes, render
from homogcl.pages.projection import project
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request

MOST_NODES = 300_000  # beyond which the exact search for nearest nodes would take hours
MOST_NEIGHBORS = 200  # of one node that the page holds
_NEAREST = 10
_BINS = 20
_ROWS = 256  # of cosines at a time: 300 MB at the most nodes


def write_explorer(
    folder: RunFolder, path: Path, way: str = "tsne", spec: Request | None = None
) -> Explorer:
    """Write the page of a finished run to `path` and return what it shows.

    The embeddings are projected by `tsne`, `umap` or `pca`; `spec` names another graph, or says
    where the run's own one lies now.
    """
    explorer = explore(folder, way, spec)
    write_atomically(path, render(explorer).encode())
    return explorer


def explore(folder: RunFolder, way: str = "tsne", spec: Request | None = None) -> Explorer:
    """Return what the page of a finished run shows."""
    spec, model = spec or folder.request(), folder.model()
    own = spec.data == folder.request().data
    if own and len(folder.embeddings()) > MOST_NODES:  # before the graph is read
        raise _too_many(len(folder.embeddings()))
    graph, method = folder.run(spec, model).graph, model.method
    if graph.num_nodes > MOST_NODES:
        raise _too_many(graph.num_nodes)
    z = folder.embeddings() if own else model.embed(graph).cpu().numpy()
    if graph.num_nodes != len(z):
        raise UserError(f"{spec.data} has {graph.num_nodes} nodes, the run has {len(z)}")
    projection = project(z, way, spec.seed)
    edge_index = graph.edge_index.numpy()
    s = saliencies(method, graph, seed=spec.seed).numpy()
    labels = node_labels(graph)
    trained = trained_clusters(method, graph)
    clusters = cluster(z, cluster_count(trained, labels), spec.seed)
    degrees = np.bincount(edge_index[0], minlength=len(z))
    names = class_names(graph) if labels is not None else []
    return Explorer(
        title=f"{spec.method} on {spec.name}, seed {spec.seed}",
        nodes=Nodes(node_ids(graph), projection.points, clusters, degrees, labels, names),
        edges=ranked_edges(edge_index, s, len(z)),
        nearest=Nearest(*(each.numpy() for each in nearest_neighbors(z, _NEAREST, block=_ROWS))),
        histogram=saliency_histogram(edge_index, s, labels),
        curves=folder.curves(),
        facts=graph_facts(graph, labels),
        settings=_flat(folder.settings()),
        notes=[
            f"The map is {projection.origin}; distances between far groups mean little.",
            f"The {clusters.max() + 1} clusters are those of k-means on the embeddings, scaled to "
            "length 1.",
            saliency_origin(method.name, trained, len(z)),
        ],
    )


def _too_many(nodes: int) -> UserError:
    return UserError(f"the graph has {nodes:,} nodes; the page takes {MOST_NODES:,}")


def saliency_origin(name: str, trained: int | None, nodes: int) -> str:
    """Return a sentence on the clusters, trained or not, from which `saliencies` computes S."""
    if trained is not None:
        return f"Saliency comes from the trained {name}: {trained} clusters."
    k = min(NUM_CLUSTERS, nodes)
    return (
        f"{name} scores no edges; their saliency is computed as in HomoGCL, from "
        f"{k} k-means clusters of the embeddings, scaled to length 1."
    )


def node_labels(graph: Data) -> npt.NDArray[np.int64] | None:
    """Return each node's class, -1 where unknown, or None if no node has one."""
    y = graph.get("y")
    if y is None or not bool((y >= 0).any()):
        return None
    labels: npt.NDArray[np.int64] = y.numpy()
    return np.maximum(labels, -1)


def trained_clusters(method: Method, graph: Data) -> int | None:
    """Return how many clusters the method was trained with, None if it has none."""
    with torch.no_grad():
        r = method.assignment(graph)
    return None if r is None else r.size(1)


def cluster_count(trained: int | None, labels: Integers | None) -> int:
    """Return as many clusters as there are classes, else as many as were trained with."""
    if labels is not None:
        return int(labels.max()) + 1
    return NUM_CLUSTERS if trained is None else trained


def cluster(z: Floats, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the k-means cluster of each row of `z` scaled to length 1, the largest first."""
    rows = normalize(z)
    count = min(count, len(np.unique(rows, axis=0)))
    assignment = KMeans(count, n_init=1, random_state=integer(seed, "page")).fit_predict(rows)
    rank = np.argsort(np.argsort(-np.bincount(assignment), kind="stable"))
    clusters: npt.NDArray[np.int64] = rank[assignment]
    return clusters


def ranked_edges(edge_index: Integers, s: Floats, nodes: int, most: int = MOST_NEIGHBORS) -> Edges:
    """Return each node's edges from high to low saliency.

    Of a node with more than `most`, only the highest and the lowest `most` / 2 are returned.
    """
    order = np.lexsort((-s, edge_index[0]))
    degrees = np.bincount(edge_index[0], minlength=nodes)
    starts = np.concatenate([[0], degrees.cumsum()])
    rank = np.arange(len(order)) - np.repeat(starts[:-1], degrees)
    below = np.repeat(degrees, degrees) - rank  # edges from this one down, itself included
    order = order[(rank < most - most // 2) | (below <= most // 2)]
    offsets = np.concatenate([[0], np.minimum(degrees, most).cumsum()])
    return Edges(offsets, edge_index[1][order], s[order])


def saliency_histogram(
    edge_index: Integers, s: Floats, labels: Integers | None, bins: int = _BINS
) -> SaliencyHistogram:
    """Return the number of edges in each bin of saliency, by label agreement, each edge once."""
    once = edge_index[0] < edge_index[1]
    (source, target), s = edge_index[:, once], np.clip(s[once], 0, 1)  # beyond by rounding
    if labels is None:
        labels = np.full(edge_index.max(initial=-1) + 1, -1)
    labeled = (labels[source] >= 0) & (labels[target] >= 0)
    same = labels[source] == labels[target]
    bounds = np.linspace(0.0, 1.0, bins + 1)
    kinds = (labeled & same, labeled & ~same, ~labeled)
    return SaliencyHistogram(bounds, *(np.histogram(s[kind], bounds)[0] for kind in kinds))


def graph_facts(graph: Data, labels: Integers | None) -> dict[str, str]:
    """Return what pages say of a graph; each edge is counted once."""
    nodes, directed = int(graph.num_nodes or 0), graph.edge_index.size(1)
    degrees = torch.bincount(graph.edge_index[0], minlength=nodes)
    facts = {
        "Nodes": f"{nodes:,}",
        "Edges": f"{directed // 2:,}",
        "Mean degree": f"{directed / nodes:.1f}",
        "Without edges": f"{int((degrees == 0).sum()):,}",
        "Features": f"{graph.num_features:,}",
    }
    if labels is not None:
        facts["Classes"] = f"{int(labels.max()) + 1}"
        if bool((labels < 0).any()):
            facts["Labeled nodes"] = f"{int((labels >= 0).sum()):,}"
        histogram = saliency_histogram(graph.edge_index.numpy(), np.zeros(directed), labels)
        share = histogram.same.sum() / labeled if (labeled := histogram.labeled.sum()) else math.nan
        facts["Edges within a class"] = "–" if math.isnan(share) else f"{100 * share:.1f} %"
    return facts


def _flat(settings: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Return nested settings as dotted names with their values as text."""
    flat: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = "–" if value is None else str(value)
    return flat
