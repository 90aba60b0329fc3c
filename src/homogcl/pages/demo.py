"""The demonstration: untrained methods, GRACE, GRACE+HomoGCL and HomoGCL in closed form."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from homogcl.data.rewired import rewired
from homogcl.data.summary import summarize
from homogcl.homophily.edges import saliencies
from homogcl.methods.inference import embeddings
from homogcl.pages import terminal
from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.comparison_page import Comparison, EmbeddingMap, write_page
from homogcl.pages.edge_tables import saliency_histogram
from homogcl.pages.explore import cluster, graph_facts
from homogcl.pages.metric_cells import UNTRAINED, is_accuracy
from homogcl.pages.projection import project
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.scores import scores
from homogcl.runs.train import Trained, fit_run
from homogcl.training.loop import Epoch

# Untrained methods have no map: one of many columns would take longest of all.
METHODS = (*UNTRAINED, "grace", "grace+homogcl", "homogcl")
_WRONG = 0.3  # of the edges, in the graph that shows what wrong edges do
_COLUMNS = {
    "test_accuracy": "accuracy (%)",
    "rewired_test_accuracy": "with wrong edges (%)",
    "nmi": "NMI",
    "ari": "ARI",
}
_BINS = 10


def demo(out: Path, seed: int = 0) -> Path:
    """Run the methods, print their results and return the path of the page."""
    start = time.perf_counter()
    results: dict[str, dict[str, float]] = {}
    maps: list[EmbeddingMap] = []
    curves: dict[str, dict[str, list[float]]] = {}
    for name in METHODS:
        curve: dict[str, list[float]] = {}

        def follow(epoch: Epoch, curve: dict[str, list[float]] = curve) -> None:
            for term, value in epoch.terms.items():
                curve.setdefault(term, []).append(value)
            show(epoch)

        run = Request(name, "demo", seed).resolve(by_size=False)
        with terminal.training(name) as show:
            trained = fit_run(run, on_epoch=follow)
        metrics = scores(trained.method, trained.graph, seed, form=trained.form)
        metrics["rewired_test_accuracy"] = _accuracy_with_wrong_edges(run)
        results[name] = {metric: metrics[metric] for metric in _COLUMNS}
        if name not in UNTRAINED:
            maps.append(_map(name, trained, seed))
        if curve:
            curves[name] = curve
    histogram = edges_by_saliency(trained)
    comparison = Comparison(
        title="HomoGCL on the embedded citation graph",
        summary="Features alone, an encoder without training, features averaged over "
        "neighborhoods, GRACE alone and with HomoGCL, and HomoGCL in closed form, all without "
        "labels on the same graph, and on a copy of it in which "
        f"{_WRONG:.0%} of the edges are wrong.",
        results=results,
        maps=maps,
        saliency=histogram,
        curves=curves,
        facts=graph_facts(summarize(trained.graph), trained.graph.y.numpy()),
    )
    path = write_page(out / "index.html", comparison)
    _report(results, histogram, path, time.perf_counter() - start)
    return path


def edges_by_saliency(trained: Trained, bins: int = _BINS) -> SaliencyHistogram:
    """Return the edges, each once, by the saliency that HomoGCL gives them."""
    graph = trained.graph
    s = saliencies(trained.method, graph).numpy()
    return saliency_histogram(graph.edge_index.numpy(), s, graph.y.numpy(), bins)


def _accuracy_with_wrong_edges(run: Run) -> float:
    """Return the accuracy of the run's method on the graph with wrong edges among its own."""
    graph = rewired(run.graph, _WRONG, run.seed)
    with terminal.training(f"{run.method} with wrong edges") as show:
        trained = fit_run(run.on(graph), on_epoch=show)
    metrics = scores(trained.method, graph, run.seed, ("probe",), form=trained.form)
    return metrics["test_accuracy"]


def _map(name: str, trained: Trained, seed: int) -> EmbeddingMap:
    z = embeddings(trained.method, trained.graph, trained.form).numpy()
    labels = trained.graph.y.numpy()
    clusters = cluster(z, int(labels.max()) + 1, seed)
    return EmbeddingMap(name, project(z, "tsne", seed).points, labels, clusters)


def _report(
    results: dict[str, dict[str, float]], histogram: SaliencyHistogram, path: Path, seconds: float
) -> None:
    metric_rows = [
        {
            "method": name,
            **{_COLUMNS[metric]: _shown(metric, value) for metric, value in row.items()},
        }
        for name, row in results.items()
    ]
    terminal.rows(metric_rows, as_json=False)
    terminal.say(f"\nwith wrong edges: {_WRONG:.0%} of them lead to a node drawn by chance")
    terminal.say("\nshare of edges that join two nodes of one class, by the edge's saliency")
    terminal.rows(_saliency_rows(histogram), as_json=False)
    terminal.say(f"\npage: {path} ({seconds:.0f} s in all)")


def _shown(metric: str, value: float) -> str:
    return f"{100 * value:.1f}" if is_accuracy(metric) else f"{value:.3f}"


def _saliency_rows(histogram: SaliencyHistogram) -> list[dict[str, str]]:
    counts, bounds = histogram.labeled, histogram.bounds
    shares = histogram.same / np.maximum(counts, 1)
    return [
        {
            "saliency": f"{low:.1f}-{high:.1f}",
            "edges": f"{count:,}",
            "same class": f"{100 * share:.1f} %" if count else "",
            "": "█" * round(30 * share) if count else "",
        }
        for low, high, count, share in zip(bounds, bounds[1:], counts, shares, strict=False)
    ]
