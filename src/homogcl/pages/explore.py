"""From a run folder to the page that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt
import torch
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import integer, numpy_stream
from homogcl.data.names import class_names, node_ids
from homogcl.data.summary import GraphSummary, summarize
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.homophily.edges import NUM_CLUSTERS, saliencies
from homogcl.methods.registry import Method
from homogcl.pages.charts import Floats, Integers
from homogcl.pages.disk_sample import part_note, shown_part
from homogcl.pages.edge_tables import (
    lowest_edges,
    mean_saliency,
    ranked_edges,
    saliency_histogram,
)
from homogcl.pages.explore_page import Explorer, Features, LowestEdges, Nearest, Nodes
from homogcl.pages.node_features import features_of
from homogcl.pages.projection import project
from homogcl.pages.verdict import cluster_scores, edge_score, graph_advice, probe_score
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.scores import inputs_of

MOST_NODES = 200_000  # larger graphs are sampled: drawing and exact search take too long
_NEAREST = 10
_ROWS = 256  # of cosines at a time: 200 MB at the most nodes

Follow = Callable[[str], None]  # takes the name of a stage of the work as it begins


def explore(
    folder: RunFolder,
    way: str = "tsne",
    spec: Request | None = None,
    *,
    most_nodes: int = MOST_NODES,
    follow: Follow = lambda stage: None,
) -> Explorer:
    """Return what the page of a finished run shows.

    Args:
        folder: The run.
        way: How the embeddings are projected: `tsne`, `umap` or `pca`.
        spec: Another graph, or where the run's own one lies now.
        most_nodes: Of a graph with more nodes, a sample of so many is shown.
        follow: Called with each stage of the work as it begins.
    """
    spec, model = spec or folder.request(), folder.model()
    own = spec.data == folder.request().data
    graph, method = folder.run(spec, model).graph, model.method
    z = folder.embeddings() if own else model.embed(graph).cpu().numpy()
    if graph.num_nodes != len(z):
        raise UserError(f"{spec.data} has {graph.num_nodes} nodes, the run has {len(z)}")
    notes: list[str] = []
    if (part := shown_part(graph, most_nodes, spec.seed)) is not None:
        notes = [part_note(len(part[1]), len(z), graph.num_edges // 2)]
        graph, z = part[0], z[part[1]]
    follow(f"scoring {graph.num_edges // 2:,} edges")
    edge_index, labels = graph.edge_index.numpy(), node_labels(graph)
    s = saliencies(method, graph, seed=spec.seed).numpy()
    lowest = lowest_edges(edge_index, s)
    trained = trained_clusters(method, graph)
    follow("clustering the nodes")
    clusters = cluster(z, cluster_count(trained, labels), spec.seed)
    follow("scoring the embeddings")
    scores = {
        **probe_score(inputs_of(z, graph, spec.seed, method=method)),
        **cluster_scores(clusters, edge_index, labels),
        **edge_score(s, edge_index, labels),
    }
    summary = summarize(graph)
    advice = graph_advice(graph, summary, spec.seed)
    shown = sample(len(z), most_nodes, (lowest.source, lowest.target), spec.seed)
    follow(f"laying out {len(shown):,} nodes, mapped by {way}")
    projection = project(z[shown], way, spec.seed)
    follow("searching the nearest nodes of each one")
    nearest = nearest_neighbors(z[shown], _NEAREST, block=_ROWS)
    follow("writing the page")
    place = np.searchsorted(shown, np.arange(len(z)))  # on the page, of the nodes that are shown
    is_shown = np.isin(edge_index, shown).all(axis=0)
    is_listed = np.isin([lowest.source, lowest.target], shown).all(axis=0)
    ids = node_ids(graph)
    features = features_of(graph, shown)
    return Explorer(
        title=f"{spec.method} on {spec.name}, seed {spec.seed}",
        nodes=Nodes(
            ids=[ids[node] for node in shown],
            points=projection.points,
            clusters=clusters[shown],
            degrees=np.bincount(edge_index[0], minlength=len(z))[shown],
            labels=None if labels is None else labels[shown],
            class_names=class_names(graph) if labels is not None else [],
            saliency=mean_saliency(edge_index, s, len(z))[shown],
        ),
        edges=ranked_edges(place[edge_index[:, is_shown]], s[is_shown], len(shown)),
        nearest=Nearest(*(each.numpy() for each in nearest)),
        histogram=saliency_histogram(edge_index, s, labels),
        lowest=LowestEdges(
            place[lowest.source[is_listed]],
            place[lowest.target[is_listed]],
            lowest.saliency[is_listed],
        ),
        features=features,
        scores=scores,
        advice=advice,
        curves=folder.curves(),
        facts=graph_facts(summary, labels),
        settings=_flat(folder.settings()),
        notes=[
            *notes,
            *sample_notes(len(shown), len(z)),
            f"The map is {projection.origin}; distances between far groups mean little.",
            f"The {clusters.max() + 1} clusters are those of k-means on the embeddings, scaled to "
            "length 1.",
            SALIENCY_ORIGIN,
            *feature_notes(features),
        ],
    )


def sample(nodes: int, most: int, wanted: Iterable[Integers], seed: int) -> npt.NDArray[np.int64]:
    """Return the nodes on the page, in their order: all of them, or at most `most`.

    Those that are `wanted` come first, as far as there is room, and the rest is drawn.
    """
    if nodes <= most:
        return np.arange(nodes)
    first = np.unique(np.concatenate([np.asarray(each, dtype=np.int64) for each in wanted]))[:most]
    others = np.setdiff1d(np.arange(nodes), first)
    drawn = numpy_stream(seed, "page").choice(others, most - len(first), replace=False)
    return np.sort(np.concatenate([first, drawn]))


def sample_notes(shown: int, nodes: int) -> list[str]:
    """Return a sentence that says what is not on the page, if something is not."""
    if shown == nodes:
        return []
    return [
        f"The graph has {nodes:,} nodes; this page shows {shown:,} of them, the ends of the listed "
        "edges and others drawn at random, with the edges among them. Facts, scores and charts are "
        "those of the whole graph."
    ]


def feature_notes(features: Features | None) -> list[str]:
    """Return a sentence that says which features are not on the page, if some are not."""
    if features is None or len(features.names) == features.total:
        return []
    return [
        f"Of {features.total:,} features the page holds the {len(features.names):,} that vary most."
    ]


SALIENCY_ORIGIN = (
    "The saliency of an edge is the probability that its ends belong together, fitted without "
    "labels: each edge is judged in the graph without it, beside pairs that no edge joins."
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


def graph_facts(summary: GraphSummary, labels: Integers | None) -> dict[str, str]:
    """Return what pages say of a graph; each edge is counted once."""
    facts = {
        "Nodes": f"{summary.nodes:,}",
        "Edges": f"{summary.edges:,}",
        "Mean degree": f"{2 * summary.edges / summary.nodes:.1f}",
        "Without edges": f"{summary.isolated:,}",
        "Features": f"{summary.features:,}",
    }
    if labels is not None:
        facts["Classes"] = f"{summary.classes}"
        if bool((labels < 0).any()):
            facts["Labeled nodes"] = f"{int((labels >= 0).sum()):,}"
        share = summary.homophily
        facts["Edges within a class"] = "–" if share is None else f"{100 * share:.1f} %"
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
