"""The demonstration: GRACE against GRACE+HomoGCL on the embedded graph."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from torch_geometric.data import Data

from homogcl.data.summary import summarize
from homogcl.homophily.edges import saliencies
from homogcl.methods.inference import embeddings
from homogcl.pages import terminal
from homogcl.pages.comparison_page import EmbeddingMap, Page, SaliencyBins, write_page
from homogcl.pages.explore import cluster
from homogcl.pages.layout import lay_out
from homogcl.runs.request import Request
from homogcl.runs.scores import scores
from homogcl.runs.train import Trained, fit_run
from homogcl.training.loop import Epoch

METHODS = ("grace", "grace+homogcl")


def demo(out: Path, seed: int = 0) -> Path:
    """Train both methods, print what came out and return the page's path."""
    started = time.perf_counter()
    results: dict[str, dict[str, float]] = {}
    maps: list[EmbeddingMap] = []
    curves: dict[str, dict[str, list[float]]] = {}
    for name in METHODS:
        curve: dict[str, list[float]] = {}

        def follow(epoch: Epoch, curve: dict[str, list[float]] = curve) -> None:
            for term, value in epoch.terms.items():
                curve.setdefault(term, []).append(value)
            show(epoch)

        with terminal.training(name) as show:
            trained = fit_run(Request(name, "demo", seed).resolve(by_size=False), on_epoch=follow)
        scored = scores(trained.method, trained.graph, seed)
        results[name] = {metric: scored[metric] for metric in ("test_accuracy", "nmi", "ari")}
        maps.append(_map(name, trained, seed))
        curves[name] = curve
    bins = saliency_bins(trained)
    page = Page(
        title="HomoGCL on the embedded citation graph",
        summary="GRACE and GRACE with HomoGCL, trained without labels on the same graph.",
        results=results,
        maps=maps,
        saliency=bins,
        curves=curves,
        facts=_facts(trained.graph),
    )
    path = write_page(out / "index.html", page)
    _report(results, bins, path, time.perf_counter() - started)
    return path


def saliency_bins(trained: Trained, bins: int = 10) -> SaliencyBins:
    """Return how many edges join nodes of one class, by the saliency that HomoGCL gives them."""
    method, graph = trained.method, trained.graph
    s = saliencies(method, graph).numpy()
    same = (graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]).numpy()
    bounds = np.linspace(0.0, 1.0, bins + 1)
    place = np.clip(np.digitize(s, bounds) - 1, 0, bins - 1)
    counts = np.bincount(place, minlength=bins)
    agreeing = np.bincount(place, weights=same, minlength=bins)
    return SaliencyBins(bounds, agreeing / np.maximum(counts, 1), counts)


def _map(name: str, trained: Trained, seed: int) -> EmbeddingMap:
    z = embeddings(trained.method, trained.graph).numpy()
    labels = trained.graph.y.numpy()
    clusters = cluster(z, int(labels.max()) + 1, seed)
    return EmbeddingMap(name, lay_out(z, "tsne", seed).points, labels, clusters)


def _facts(graph: Data) -> dict[str, str]:
    facts = summarize(graph)
    return {
        "Nodes": f"{facts.nodes:,}",
        "Edges": f"{facts.edges:,}",
        "Features": f"{facts.features:,}",
        "Classes": f"{facts.classes}",
        "Edge homophily": f"{facts.homophily:.3f}",
    }


def _report(
    results: dict[str, dict[str, float]], bins: SaliencyBins, path: Path, seconds: float
) -> None:
    shown = [
        {
            "method": name,
            "accuracy (%)": f"{100 * metrics['test_accuracy']:.1f}",
            "NMI": f"{metrics['nmi']:.3f}",
            "ARI": f"{metrics['ari']:.3f}",
        }
        for name, metrics in results.items()
    ]
    terminal.rows(shown, as_json=False)
    terminal.say("\nedges by saliency: share that joins two nodes of one class")
    terminal.rows(
        [
            {
                "saliency": f"{low:.1f}-{high:.1f}",
                "edges": f"{count:,}",
                "same class": f"{100 * share:.1f} %" if count else "",
                "": "█" * round(30 * share) if count else "",
            }
            for low, high, count, share in zip(
                bins.bounds, bins.bounds[1:], bins.counts, bins.same_label, strict=False
            )
        ],
        as_json=False,
    )
    terminal.say(f"\npage: {path} ({seconds:.0f} s in all)")
