"""What the study is held to: the paper's HomoGCL rows, and the base that the plug-in is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Cell, GraphCell
from reproduction.figures.runs import place
from reproduction.paper import write_table
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.tables.goals import Goal
from reproduction.tables.readme import ACCURACY_GOALS, CLUSTER_GOALS, goals

SEEDS = 20
# Where the base itself is better, on validation, than with its preset. The plug-in gets the same.
PRESETS: Mapping[tuple[str, str], str] = {
    ("grace", "cora"): "wide",
    ("grace", "citeseer"): "wide",
    ("grace", "photo"): "wide",
    ("grace", "computers"): "wide",
}


def _cells(held_to: Sequence[Goal], tasks: tuple[str, ...], quick: bool) -> list[Cell]:
    places = dict.fromkeys((g.base, QUICK_DATA if quick else g.data) for g in held_to)
    return [
        _cell(method, data, seed, tasks, quick)
        for base, data in places
        for seed in range(2 if quick else SEEDS)
        for method in (base, f"{base}+homogcl")
    ]


def _cell(method: str, data: str, seed: int, tasks: tuple[str, ...], quick: bool) -> GraphCell:
    variant = {"variant": "adaptive"} if "+" in method else {}
    settings = {**(quick_settings(method) if quick else {}), **variant}
    preset = PRESETS.get((method.partition("+")[0], data))
    # What other parts of the study train, they record; their quick forms have other settings.
    own = quick or preset is not None
    kept = "study/goals" if own else "study/levers" if variant else "presets"
    spec = Request(method, data, seed, settings, preset, tasks=tasks)
    return GraphCell(spec, place(kept, quick=quick))


def _artifact(name: str, title: str, held_to: Sequence[Goal], tasks: tuple[str, ...]) -> Artifact:
    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        of = [Goal(g.base, QUICK_DATA, g.metric) for g in held_to] if quick else held_to
        table = goals(results / place("", quick=quick), list(dict.fromkeys(of)))
        return write_table(out, name, title, table)

    return Artifact(name, title, lambda quick: _cells(held_to, tasks, quick), write)


GOALS = (
    _artifact("goals", "Accuracy the study is held to", ACCURACY_GOALS, ("probe",)),
    _artifact(
        "goals-clustering", "Clusters the study is held to", CLUSTER_GOALS, ("probe", "cluster")
    ),
)
