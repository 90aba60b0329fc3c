"""Cells of a grid: run once, never at the cost of what a record has, found without data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.evaluate.links import link_scores
from homogcl.methods.inference import embeddings
from homogcl.presets.resolve import resolve
from homogcl.runs import grid
from homogcl.runs.grid import find_record, record_of, run_cell, score_run
from homogcl.runs.origin import current_commit
from homogcl.runs.record import Record, read_record, record_path, write_record
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.scores import with_edges_held_out
from homogcl.runs.train import Trained, fit_run

SMALL = {"hidden_dim": 8, "out_dim": 4, "epochs": 2}
RAW = Request("raw", "demo", tasks=("probe",))


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[Request], Record]:
    """Run a cell and return its record as it is on disk."""

    def run(request: Request) -> Record:
        record, _ = run_cell(request.resolve(by_size=False), tmp_path)
        return read_record(record_path(tmp_path, record))

    return run


def test_a_record_loses_nothing_when_a_cell_is_asked_for_more(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    request = Request("dgi", "demo", 0, SMALL, milestones=(1,), tasks=("probe",))
    first = recorded(request)
    more = recorded(replace(request, milestones=(), tasks=("knn",)))
    assert set(more.milestones) == {"1"}
    assert set(more.metrics) == {*first.metrics, "knn_val_accuracy", "knn_test_accuracy"} | {
        key for key in more.metrics if key.startswith("knn")
    }
    assert more.metrics["test_accuracy"] == first.metrics["test_accuracy"]
    _, ran = run_cell(request.resolve(by_size=False), tmp_path)
    assert not ran


def test_a_failed_record_is_run_again(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    first = recorded(RAW)
    failed = first.model_copy(update={"status": "failed", "reason": "no memory"})
    write_record(tmp_path, failed)
    assert find_record(RAW.resolve(), tmp_path) is None
    assert recorded(RAW).status == "ok"


def test_a_record_is_found_only_if_it_has_every_task_and_milestone(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    request = Request("dgi", "demo", 0, SMALL, milestones=(1,), tasks=("probe",))
    assert find_record(request.resolve(), tmp_path) is None
    record = recorded(request)
    assert find_record(request.resolve(), tmp_path) == record
    assert find_record(replace(request, milestones=()).resolve(), tmp_path) == record
    assert find_record(replace(request, tasks=("probe", "knn")).resolve(), tmp_path) is None
    assert find_record(replace(request, milestones=(2,)).resolve(), tmp_path) is None
    assert find_record(replace(request, seed=1).resolve(), tmp_path) is None


def test_a_record_of_the_former_probe_is_found_but_its_cell_runs_again(
    tmp_path: Path, recorded: Callable[[Request], Record]
) -> None:
    request = Request("dgi", "demo", 0, SMALL, milestones=(1,), tasks=("probe",))
    record = recorded(request)

    def renamed(metrics: Mapping[str, float]) -> dict[str, float]:
        return {f"adam_{key}": value for key, value in metrics.items() if "accuracy" in key}

    milestones = {epochs: renamed(metrics) for epochs, metrics in record.milestones.items()}
    update = {"metrics": renamed(record.metrics), "milestones": milestones}
    write_record(tmp_path, record.model_copy(update=update))
    former = find_record(request.resolve(), tmp_path)
    assert former is not None
    assert "test_accuracy" not in former.metrics
    again, ran = run_cell(request.resolve(by_size=False), tmp_path)
    assert ran
    assert again.metrics["test_accuracy"] == record.metrics["test_accuracy"]


def test_a_finished_cell_reads_no_data(
    tmp_path: Path, recorded: Callable[[Request], Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = recorded(RAW)
    monkeypatch.setattr("homogcl.runs.request.load", lambda *_, **__: pytest.fail("loaded"))
    assert run_cell(RAW.resolve(by_size=False), tmp_path) == (record, False)


def test_another_graph_of_the_same_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    ring = "".join(f"n{i},n{(i + 1) % 12}\n" for i in range(12))
    path.write_text("a,b\n" + ring)
    request = Request("raw", str(path), tasks=("links",))
    _, ran = run_cell(request.resolve(by_size=False), tmp_path / "results")
    assert ran
    _, ran = run_cell(request.resolve(by_size=False), tmp_path / "results")
    assert not ran
    path.write_text("a,b\n" + ring + "n0,n6\n")
    with pytest.raises(UserError, match="is the record of another graph that is called mine"):
        run_cell(request.resolve(by_size=False), tmp_path / "results")


def test_a_task_that_retrains_scores_a_training_without_the_edges(block_graph: Data) -> None:
    settings = resolve("grace", "", SMALL)
    run = replace(Run.of("grace", settings, block_graph, 2), tasks=("knn", "links"))
    epochs: list[int] = []
    metrics = score_run(run, fit_run(run).method, "last", lambda epoch: epochs.append(epoch.number))
    part, links = with_edges_held_out(block_graph, "row", 2)
    again = fit_run(Run.of("grace", settings, part, 2)).method
    assert {"knn_test_accuracy", "link_auc"} <= set(metrics)
    expected = link_scores(embeddings(again, part), links)
    assert {key: metrics[key] for key in expected} == expected
    assert epochs == [1, 2]  # of the second training


def test_unlabeled_graphs_are_refused_before_they_are_trained(
    tmp_path: Path, block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grid, "fit_run", lambda *_, **__: pytest.fail("trained"))
    del block_graph.y
    with pytest.raises(UserError, match="no labels, and the task probe"):
        run_cell(RAW.resolve().on(block_graph), tmp_path)


@pytest.mark.parametrize(("epochs", "says"), [(0, False), (1, True), (2, False)])
def test_a_record_says_when_the_training_stopped_early(epochs: int, says: bool) -> None:
    run = Request("dgi", "demo", 0, SMALL).resolve()
    trained = Trained(fit_run(run).method, run.graph, 1.5, 7, {"loss": 0.5}, {}, epochs)
    record = record_of(run, trained, {"nmi": 0.25})
    assert ("epochs" in record.metrics) == says
    assert (record.seconds, record.peak_memory_bytes, record.terms) == (1.5, 7, {"loss": 0.5})
    assert (record.precision, record.commit) == ("float32", current_commit())
    assert record.machine.threads == torch.get_num_threads()
    assert record.settings == run.recorded_settings
    assert record.resolved == run.resolved_settings
