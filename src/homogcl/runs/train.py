"""From a specification to a trained method, its metrics and its record."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.distributed import ALONE, Ranks
from homogcl.core.errors import UserError
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.seeds import stream
from homogcl.data.load import own_path
from homogcl.evaluate import (
    ProbeConfig,
    cluster_scores,
    knn_scores,
    linear_probe,
    link_scores,
    predictions,
)
from homogcl.homophily.edges import edge_saliency, homophily_by_saliency
from homogcl.homophily.selection import unlabeled_scores
from homogcl.methods.inference import embeddings, logits
from homogcl.methods.registry import Method, Sizes, build
from homogcl.runs.record import (
    Record,
    cell_path,
    current_machine,
    current_versions,
    is_done,
    read_record,
    settings_sha256,
    split_sha256,
    write_record,
)
from homogcl.runs.request import Request, fingerprint, recorded_settings, resolved_settings
from homogcl.runs.tasks import (
    DEFAULT_TASKS,
    TASKS,
    check_labels,
    tasks_at_milestones,
    with_edges_held_out,
)
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, check_fits, fit
from reproduction.view_similarity import comparing, view_similarities

OnEpoch = Callable[[Epoch], None]


@dataclass(frozen=True)
class Trained:
    """A trained method and what its training took."""

    method: Method
    graph: Data
    seconds: float
    peak_memory_bytes: int
    terms: dict[str, float]
    milestones: dict[str, dict[str, float]]
    epochs: int  # that it took, fewer than the settings' where the embeddings settled


def ready(spec: Request, graph: Data, ranks: Ranks = ALONE) -> Method:
    """Return the untrained method of `spec`; what cannot be trained on `graph` is refused.

    Args:
        spec: What to train.
        graph: What to train on.
        ranks: The processes that will train together.
    """
    settings = spec.settings()
    method = build(spec.method, settings.method, Sizes.of(graph), spec.seed)
    check_fits(method, graph, settings.train, ranks)
    if "similarity" in spec.tasks:
        comparing(method)
    return method


def train(
    spec: Request,
    *,
    graph: Data | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoints: Checkpoints | None = None,
    ranks: Ranks = ALONE,
) -> Trained:
    """Return the method of `spec`, trained.

    Args:
        spec: What to train.
        graph: What to train on, by default `spec.graph()`.
        on_epoch: Called after each epoch, in the first process.
        checkpoints: Where to leave checkpoints and to resume from, and how often; they are marked
            with the fingerprint of `spec` and its data.
        ranks: The processes that train together; each of them calls this function.
    """
    settings = spec.settings()
    graph = spec.graph() if graph is None else graph
    method = ready(spec, graph, ranks)
    terms: dict[str, float] = {}
    milestones: dict[str, dict[str, float]] = {}
    followed = tasks_at_milestones(spec.tasks)
    scoring = 0.0  # seconds, which are not the training's
    epochs = 0

    def follow(epoch: Epoch) -> None:
        nonlocal epochs, scoring
        epochs = epoch.number
        terms.clear()
        terms.update(epoch.terms)
        if epoch.number in spec.milestones:
            started = time.perf_counter()
            milestones[str(epoch.number)] = scores(method, graph, spec.seed, followed)
            scoring += time.perf_counter() - started
        if on_epoch:
            on_epoch(epoch)

    reset_peak()
    started = time.perf_counter()
    if checkpoints:
        checkpoints = replace(checkpoints, fingerprint=fingerprint(spec, graph))
    fit(
        method,
        graph,
        settings.train,
        seed=spec.seed,
        on_epoch=follow,
        checkpoints=checkpoints,
        ranks=ranks,
    )
    seconds = time.perf_counter() - started - scoring
    return Trained(method, graph, seconds, peak_bytes(), terms, milestones, epochs)


def scores(
    method: Method, graph: Data, seed: int, tasks: Sequence[str] = DEFAULT_TASKS
) -> dict[str, float]:
    """Return the metrics of a trained method on the tasks, by the names that records use.

    The task "links" is not among them: it needs a training of its own, `link_prediction`.
    """
    check_labels(graph, tasks)
    z = embeddings(method, graph)
    metrics: dict[str, float] = {}
    if "probe" in tasks and "Y" in method.training_data:
        # A supervised method is scored by its own predictions: it needs no probe.
        masks = (graph.train_mask, graph.val_mask, graph.test_mask)
        metrics |= predictions(logits(method, graph), graph.y, *masks)
    elif "probe" in tasks:
        metrics |= probe(z, graph, seed)
    for task, prefix in (("cluster", ""), ("cluster-raw", "raw_")):
        if task in tasks:
            labeled = graph.y >= 0
            found = cluster_scores(z[labeled], graph.y[labeled], seed, scaled=not prefix)
            metrics |= {f"{prefix}{name}": value for name, value in found.items()}
    if "knn" in tasks:
        metrics |= knn_scores(z, graph.y, graph.train_mask, graph.val_mask, graph.test_mask)
    if "similarity" in tasks:
        metrics |= view_similarities(method, graph, seed)
    if "saliency" in tasks:
        metrics |= homophily_by_saliency(edge_saliency(method, graph, seed=seed))
    if "unlabeled" in tasks:
        metrics |= unlabeled_scores(z, graph.edge_index, stream(seed, "unlabeled", z.device))
    return metrics


def link_prediction(
    spec: Request, graph: Data, on_epoch: OnEpoch | None = None
) -> dict[str, float]:
    """Return how well edges are found that the training did not see.

    A tenth of the edges is held out, the method of `spec` is trained anew on the others, and the
    cosines of its embeddings tell the held-out edges from as many pairs without an edge.
    """
    seen, links = with_edges_held_out(graph, spec.settings().data.features, spec.seed)
    trained = train(replace(spec, milestones=()), graph=seen, on_epoch=on_epoch)
    return link_scores(embeddings(trained.method, seen), links)


def probe(z: Tensor, graph: Data, seed: int) -> dict[str, float]:
    """Return the accuracies of the linear probe on the graph's split."""
    masks = (graph.train_mask, graph.val_mask, graph.test_mask)
    return linear_probe(z, graph.y, *masks, ProbeConfig(), stream(seed, "probe"))


def record_of(spec: Request, trained: Trained, metrics: dict[str, float]) -> Record:
    """Return the record of a run; one that settled before its last epoch says when."""
    graph, settings = trained.graph, recorded_settings(spec)
    if 0 < trained.epochs < spec.settings().train.epochs:
        metrics = {**metrics, "epochs": float(trained.epochs)}
    return Record(
        method=spec.method,
        data=spec.name,
        seed=spec.seed,
        settings=settings,
        settings_sha256=settings_sha256(settings),
        resolved=resolved_settings(spec),
        data_sha256=graph.sha256,
        split=graph.split_name,
        split_sha256=split_sha256(graph.train_mask, graph.val_mask, graph.test_mask),
        versions=current_versions(),
        machine=current_machine(torch.get_num_threads()),
        seconds=trained.seconds,
        peak_memory_bytes=trained.peak_memory_bytes,
        metrics=metrics,
        milestones=trained.milestones,
        terms=trained.terms,
    )


def recorded_at(spec: Request, results: Path) -> Path:
    """Return where the record of `spec` lies in the folder `results`, whether it has run or not."""
    return cell_path(
        results,
        data=spec.name,
        method=spec.method,
        settings=recorded_settings(spec),
        seed=spec.seed,
    )


def found(spec: Request, results: Path) -> Record | None:
    """Return the record of `spec` in the folder `results`, or None unless it has all of it."""
    path = recorded_at(spec, results)
    record = read_record(path) if is_done(path) else None
    return record if record is not None and _has_all(record, spec) else None


def run_cell(spec: Request, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
    """Train, evaluate and record one cell of a grid; return the record and whether it ran now.

    A cell whose record is complete is not run again. One that is asked for more than its record
    has is run for that and for all that its record has.
    """
    path = recorded_at(spec, results)
    own = own_path(spec.data) is not None
    graph = spec.graph() if own else None
    if is_done(path):
        record = read_record(path)
        if graph is not None and record.data_sha256 != graph.sha256:
            raise UserError(
                f"{path} is the record of another graph that is called {spec.name}, or of this one "
                "before it changed; give another folder of results"
            )
        if _has_all(record, spec):
            return record, False
        spec = _with_what_is_recorded(spec, record)
    graph = spec.graph() if graph is None else graph
    check_labels(graph, spec.tasks)
    trained = train(spec, graph=graph, on_epoch=on_epoch)
    metrics = scores(trained.method, graph, spec.seed, spec.tasks)
    if "links" in spec.tasks:
        metrics |= link_prediction(spec, graph, on_epoch)
    record = record_of(spec, trained, metrics)
    write_record(results, record)
    return record, True


def _has_all(record: Record, spec: Request) -> bool:
    """Return whether the record has every task of `spec`, also at its milestones."""
    followed = {TASKS[task] for task in tasks_at_milestones(spec.tasks)}
    there = [set(record.milestones.get(str(epochs), ())) for epochs in spec.milestones]
    scored = {TASKS[task] for task in spec.tasks} <= set(record.metrics)
    return scored and all(followed <= metrics for metrics in there)


def _with_what_is_recorded(spec: Request, record: Record) -> Request:
    tasks = [task for task in TASKS if task in spec.tasks or TASKS[task] in record.metrics]
    milestones = sorted({*spec.milestones, *map(int, record.milestones)})
    return replace(spec, tasks=tuple(tasks), milestones=tuple(milestones))
