"""The tasks by name: our own and third parties', and what they need of a graph."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UnknownName, UserError
from homogcl.evaluate.tasks import Task
from homogcl.runs import tasks
from homogcl.runs.tasks import (
    DEFAULT_TASKS,
    check_labels,
    task,
    task_names,
    tasks_at_milestones,
    tasks_in,
)
from tests.imports import loaded_by

PROBES = ["probe", "probe-refit", "probe-splits", "probe-adam"]
CLUSTERS = ["cluster", "cluster-raw", "cluster-spectral"]
OURS = [*PROBES, *CLUSTERS, "knn", "links", "saliency", "unlabeled"]
LABELED = [name for name in OURS if task(name).needs_labels]
MINE = Task("mine", "my_metric", lambda inputs: {"my_metric": 1.0}, cheap=True)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", f"{__name__}:MINE", tasks.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda entry: MINE)
    monkeypatch.setattr(tasks, "third_party", lambda group: {"mine": entry})


def test_our_own_tasks_come_first() -> None:
    assert task_names()[: len(OURS)] == OURS
    assert [task(name).name for name in OURS] == OURS
    assert DEFAULT_TASKS == ("probe", "cluster")
    assert [*PROBES, *CLUSTERS, "knn", "saliency"] == LABELED
    assert [name for name in OURS if task(name).retrains] == ["links"]


@pytest.mark.usefixtures("registered")
def test_a_third_partys_task_is_one_of_them() -> None:
    assert task_names() == [*OURS, "mine"]
    assert task("mine") is MINE
    assert tasks_in(["my_metric", "nmi"]) == ["cluster", "mine"]
    assert tasks_at_milestones(("mine", "links")) == ("mine",)


def test_an_unknown_task_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown task 'prob'.*did you mean: probe"):
        task("prob")


def test_milestones_score_the_cheap_tasks() -> None:
    assert tasks_at_milestones(("cluster", "probe")) == ("probe",)
    assert tasks_at_milestones(("unlabeled", "saliency", "links")) == ("unlabeled", "saliency")
    assert tasks_at_milestones(("cluster",)) == ("probe",)


@pytest.mark.parametrize("name", LABELED)
def test_labels_are_needed_where_they_are_compared_with(name: str, block_graph: Data) -> None:
    check_labels(block_graph, [name])
    with pytest.raises(UserError, match=f"no labels, and the task {name}"):
        check_labels(Data(x=block_graph.x), ["links", name])
    block_graph.y[:] = -1
    with pytest.raises(UserError, match="no labels"):
        check_labels(block_graph, [name])
    check_labels(Data(x=block_graph.x), ["links"])


def test_a_split_that_a_task_cannot_score_is_refused_before_a_training() -> None:
    y = torch.arange(300) % 3
    train, test = torch.arange(300) < 60, torch.arange(300) >= 200
    graph = Data(x=torch.ones(300, 1), y=y, train_mask=train, test_mask=test)
    graph.val_mask = ~train & ~test
    check_labels(graph, ["probe-refit"])
    graph.val_mask = graph.val_mask & (y != 1)
    check_labels(graph, ["probe", "probe-splits"])
    with pytest.raises(UserError, match="20 of each class"):
        check_labels(graph, ["probe", "probe-refit"])


def test_naming_the_tasks_loads_no_torch() -> None:
    heavy = {"torch", "torch_geometric", "sklearn", "scipy", "pydantic"}
    assert loaded_by("homogcl.runs", "homogcl.runs.tasks") & heavy == set()
