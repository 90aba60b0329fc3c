"""The cells of a grid: trained, scored and recorded, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from pathlib import Path

import torch

from homogcl.core.errors import UserError
from homogcl.core.precision import arithmetic
from homogcl.data.catalog import own_path
from homogcl.methods.base import Method
from homogcl.runs.log import OnEpoch
from homogcl.runs.origin import current_commit, current_machine, current_versions
from homogcl.runs.record import (
    Record,
    is_done,
    names_of,
    read_record,
    settings_sha256,
    split_sha256,
    write_record,
)
from homogcl.runs.run import Run
from homogcl.runs.scores import scores, with_edges_held_out
from homogcl.runs.tasks import check_labels, task, task_names, tasks_at_milestones, tasks_in
from homogcl.runs.train import Trained, fit_run


def run_cell(run: Run, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
    """Train, score and record one cell of a grid; return the record and whether it ran now.

    A cell whose record is complete is not run again. Where the record lacks a task or a milestone,
    the cell is run anew, with all that the record has and what is asked for.
    """
    path = run.record_path(results)
    if is_done(path):
        record = read_record(path)
        if own_path(run.data) is not None and record.data_sha256 != run.graph.sha256:
            raise UserError(
                f"{path} is the record of another graph that is called {run.name}, or of this one "
                "before it changed; give another folder of results"
            )
        if _is_complete(record, run):
            return record, False
        run = _with_recorded_tasks(run, record)
    check_labels(run.graph, run.tasks)
    current_commit()  # while the checkout is still what this process has loaded
    trained = fit_run(run, on_epoch=on_epoch)
    record = record_of(run, trained, score_run(run, trained.method, trained.form, on_epoch))
    write_record(results, record)
    return record, True


def find_record(run: Run, results: Path) -> Record | None:
    """Return the record if it has every requested task and milestone, else None.

    What the former probe measured is enough here, though not for `run_cell`.
    """
    path = run.record_path(results)
    record = read_record(path) if is_done(path) else None
    return record if record is not None and _is_complete(record, run, names_of) else None


def score_run(
    run: Run, method: Method, form: str, on_epoch: OnEpoch | None = None
) -> dict[str, float]:
    """Return the metrics of a trained method on the tasks of its run.

    Tasks that retrain share one more training, from which a tenth of the edges is held out.

    Args:
        run: What was trained.
        method: The trained method.
        form: What its embeddings consist of; that of a further training is its own.
        on_epoch: Called after each epoch of a further training.
    """
    retraining = tuple(name for name in run.tasks if task(name).retrains)
    others = tuple(name for name in run.tasks if not task(name).retrains)
    metrics = scores(method, run.graph, run.seed, others, form=form) if others else {}
    if not retraining:
        return metrics
    features = run.settings.data.features
    graph, links = with_edges_held_out(run.graph, features, run.seed)
    part = replace(run.on(graph), tasks=retraining, milestones=())
    trained = fit_run(part, on_epoch=on_epoch)
    return metrics | scores(trained.method, graph, run.seed, retraining, links, trained.form)


def record_of(run: Run, trained: Trained, metrics: dict[str, float]) -> Record:
    """Return the record of a run; one that stopped early says after how many epochs."""
    graph, settings = trained.graph, run.recorded_settings
    if 0 < trained.epochs < run.settings.train.epochs:
        metrics = {**metrics, "epochs": float(trained.epochs)}
    return Record(
        method=run.method,
        data=run.name,
        seed=run.seed,
        settings=settings,
        settings_sha256=settings_sha256(settings),
        resolved=run.in_form(trained.form).resolved_settings,
        data_sha256=graph.sha256,
        split=graph.split_name,
        split_sha256=split_sha256(graph.train_mask, graph.val_mask, graph.test_mask),
        versions=current_versions(),
        commit=current_commit(),
        machine=current_machine(torch.get_num_threads()),
        precision=arithmetic(run.settings.train.precision, graph.edge_index.device),
        seconds=trained.seconds,
        peak_memory_bytes=trained.peak_memory_bytes,
        metrics=metrics,
        milestones=trained.milestones,
        terms=trained.terms,
    )


def _is_complete(
    record: Record, run: Run, names: Callable[[str], tuple[str, ...]] = lambda metric: (metric,)
) -> bool:
    """Return whether the record has every task of `run` by one of its names, also at milestones."""

    def has(metrics: Container[str], tasks: Iterable[str]) -> bool:
        return all(any(name in metrics for name in names(task(each).metric)) for each in tasks)

    scored = (record.milestones.get(str(epochs), {}) for epochs in run.milestones)
    cheap = tasks_at_milestones(run.tasks)
    return has(record.metrics, run.tasks) and all(has(metrics, cheap) for metrics in scored)


def _with_recorded_tasks(run: Run, record: Record) -> Run:
    """Return the run with the tasks and milestones that its record has, besides its own."""
    names = {*run.tasks, *tasks_in(record.metrics)}
    tasks = tuple(name for name in task_names() if name in names)
    milestones = sorted({*run.milestones, *map(int, record.milestones)})
    return replace(run, tasks=tasks, milestones=tuple(milestones))
