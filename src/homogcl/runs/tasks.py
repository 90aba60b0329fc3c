"""The tasks by name, third parties' included, and what they ask of a graph.

Importing this module loads neither torch nor torch_geometric: the command line offers its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from homogcl.core.errors import UnknownName, UserError
from homogcl.core.extensions import BrokenExtension, load_extension, third_party
from homogcl.evaluate.tasks import ARRAY_TASKS, Task, TaskInputs

if TYPE_CHECKING:
    from torch_geometric.data import Data

ENTRY_POINTS = "homogcl.tasks"
DEFAULT_TASKS = ("probe", "cluster")


def _unlabeled(inputs: TaskInputs) -> dict[str, float]:
    from homogcl.core.seeds import stream
    from homogcl.evaluate.arrays import as_tensor
    from homogcl.homophily.selection import unlabeled_scores

    z, edges = as_tensor(inputs.embedding), as_tensor(inputs.edges)
    return unlabeled_scores(z, edges, stream(inputs.seed, "unlabeled", z.device))


UNLABELED = Task("unlabeled", "modularity", _unlabeled, cheap=True)

_OWN = {task.name: task for task in (*ARRAY_TASKS, UNLABELED)}


def task_names() -> list[str]:
    """Return the names of all tasks: our own, then those that other packages register."""
    return [*_OWN, *(name for name in third_party(ENTRY_POINTS) if name not in _OWN)]


def task(name: str) -> Task:
    """Return the task of that name."""
    if name in _OWN:
        return _OWN[name]
    others = third_party(ENTRY_POINTS)
    if name not in others:
        raise UnknownName("task", name, task_names())
    loaded: Task = load_extension(others[name], "task", lambda value: isinstance(value, Task))
    return loaded


def tasks_at_milestones(names: Sequence[str]) -> tuple[str, ...]:
    """Return those of a run's tasks that its milestones score: the cheap ones, else the probe."""
    return tuple(name for name in names if task(name).cheap) or ("probe",)


def tasks_in(metrics: Iterable[str]) -> list[str]:
    """Return the names of the tasks that were scored where a record has these metrics.

    Broken tasks of other packages are not among them.
    """
    names = set(metrics)
    return [name for name in task_names() if _metric(name) in names]


def check_labels(graph: Data, names: Sequence[str]) -> None:
    """Refuse a task that compares with labels if the graph has none, or a split it cannot score."""
    comparing = [name for name in names if task(name).needs_labels]
    if comparing and ("y" not in graph or not bool((graph.y >= 0).any())):
        title = graph.get("name") or "the graph"
        raise UserError(
            f"{title} has no labels, and the task {comparing[0]} compares with them: name a column "
            "of the nodes' file as label, or take the task links"
        )
    checks = [check for name in comparing if (check := task(name).check_split)]
    if checks and graph.get("train_mask") is not None:
        for check in checks:
            check(graph.y, (graph.train_mask, graph.val_mask, graph.test_mask))


def _metric(name: str) -> str | None:
    try:
        return task(name).metric
    except BrokenExtension:
        return None
