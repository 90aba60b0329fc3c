"""The goals of the study: the paper's HomoGCL rows, and the base without the plug-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from homogcl.pages.metric_cells import Place, decimals, has_metric
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.paper.pairs import COLUMNS, Pair, paired_columns
from reproduction.paper.tables import DATA
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.reported.numbers import Reported, find, read
from reproduction.study.levers import label

SEEDS = 20
# Presets under which the base is better on validation; the plug-in gets the same.
PRESETS: Mapping[tuple[str, str], str] = {
    ("grace", "cora"): "wide",
    ("grace", "citeseer"): "wide",
    ("grace", "photo"): "wide",
    ("grace", "computers"): "wide",
}

_TITLES = {"test_accuracy": "accuracy", "nmi": "NMI", "ari": "ARI"}


@dataclass(frozen=True)
class Goal:
    """A number of the paper that a base with the plug-in should reach.

    Attributes:
        base: Name of the base.
        data: Name of the data set.
        metric: Name of the metric.
        row: The row of the paper to compare with, if it has none of this base with the plug-in.
    """

    base: str
    data: str
    metric: str
    row: str | None = None


ACCURACY_GOALS = tuple(
    Goal(base, data, "test_accuracy") for base in ("grace", "bgrl") for data in DATA
)
# For the plug-in with its presets; the paper has no row of CCA-SSG with it.
SHIPPED_GOALS = (
    *ACCURACY_GOALS,
    *(Goal("ccassg", data, "test_accuracy", "grace+homogcl") for data in DATA),
)
EXACT_GOALS = tuple(Goal("grace", "photo", of) for of in ("test_accuracy", "nmi", "ari"))
# The paper has no clusters of BGRL with the plug-in: those of GRACE with it are the goal.
CLUSTER_GOALS = tuple(
    Goal(base, data, of, "grace+homogcl")
    for base in ("grace", "bgrl")
    for data in DATA[3:]
    for of in ("nmi", "ari")
)


def goals(results: Path, targets: Sequence[Goal] = ACCURACY_GOALS) -> Table:
    """Return the results of the adaptive plug-in, with the settings of its base."""
    special, shipped, varied = (
        _records(results, name) for name in ("study/goals", "presets", "study/levers")
    )
    return goals_of(adaptive_runs(special, shipped, varied), targets, "adaptive")


def adaptive_on_presets(results: Path) -> Table:
    """Return the results of the adaptive plug-in on presets whose runs take seconds."""
    runs = adaptive_runs([], *(_records(results, name) for name in ("presets", "study/levers")))
    return goals_of(runs, [goal for goal in ACCURACY_GOALS if goal.data in DATA[:2]], "adaptive")


def goals_of(records: Sequence[Record], targets: Sequence[Goal], plugin: str = "homogcl") -> Table:
    """Return the results of these runs of a plug-in and its bases."""
    printed = [*read("classification"), *read("bgrl"), *read("clustering")]
    return goals_table(records, printed, plugin, targets)


def _records(results: Path, folder: str) -> list[Record]:
    """Return the records of a folder; none if it does not exist."""
    return read_records(results / folder) if (results / folder).is_dir() else []


def adaptive_runs(
    special: Sequence[Record], shipped: Sequence[Record], varied: Sequence[Record]
) -> list[Record]:
    """Return the runs of bases, and of the adaptive plug-in on them with the same settings.

    Args:
        special: Runs of both with special settings.
        shipped: Runs with the presets' settings, for bases without special ones.
        varied: Runs of plug-ins with any other settings.
    """
    tuned = {_place(run) for run in special}
    settings = {(run.method, run.data): run.settings for run in shipped}
    alone = [run for run in shipped if "+" not in run.method]
    adaptive = [
        run
        for run in varied
        if run.method.endswith("+adaptive")
        and label(run, settings.get((f"{_place(run)[0]}+homogcl", run.data), {})) == "adaptive"
    ]
    return [*special, *(run for run in (*alone, *adaptive) if _place(run) not in tuned)]


def _place(run: Record) -> tuple[str, str]:
    return run.method.partition("+")[0], run.data


def goals_table(
    records: Sequence[Record], reported: Sequence[Reported], plugin: str, goals: Sequence[Goal]
) -> Table:
    """Return the result for each goal, one row each.

    Means and gains are over the seeds of both. The p-value is that of a two-sided paired t-test:
    the probability of gains of this size if the plug-in has no effect.

    Args:
        records: Runs of the bases with and without the plug-in, with the same settings, and of
            untrained methods, which means are held to.
        reported: The paper's numbers.
        plugin: Name of the plug-in.
        goals: Which numbers, in which order.
    """

    def runs(method: str, goal: Goal) -> list[Record]:
        return [
            record
            for record in records
            if (record.method, record.data) == (method, goal.data)
            and has_metric(record, goal.metric)
        ]

    def printed(goal: Goal) -> str | None:
        paper = find(reported, goal.row or f"{goal.base}+homogcl", goal.data, goal.metric)
        return None if paper is None else paper.printed

    pairs = {
        _about(goal): Pair(runs(goal.base, goal), runs(f"{goal.base}+{plugin}", goal), goal.metric)
        for goal in goals
    }
    cells, notes = paired_columns(pairs, records)
    rows = tuple((*_about(goal), printed(goal), *cells[_about(goal)]) for goal in goals)
    columns = ("Base", "Data set", "Metric", "Paper", *COLUMNS)
    return Table(columns, rows, decimals(goal.metric for goal in goals), notes=notes)


def _about(goal: Goal) -> Place:
    return goal.base, goal.data, _TITLES[goal.metric]


def _trainings(targets: Sequence[Goal], tasks: tuple[str, ...], quick: bool) -> list[Training]:
    places = dict.fromkeys((g.base, QUICK_DATA if quick else g.data) for g in targets)
    return [
        _training(method, data, seed, tasks, quick)
        for base, data in places
        for seed in range(2 if quick else SEEDS)
        for method in (base, f"{base}+adaptive")
    ]


def _training(
    method: str, data: str, seed: int, tasks: tuple[str, ...], quick: bool
) -> GraphTraining:
    settings = quick_settings(method) if quick else {}
    preset = PRESETS.get((method.partition("+")[0], data))
    # Trainings of other parts of the study have their records there, but not the quick ones.
    own = quick or preset is not None
    folder = "study/goals" if own else "study/levers" if "+" in method else "presets"
    spec = Request(method, data, seed, settings, preset, tasks=tasks)
    return GraphTraining(spec, records_folder(folder, quick=quick))


def _artifact(name: str, title: str, targets: Sequence[Goal], tasks: tuple[str, ...]) -> Artifact:
    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        of = [Goal(g.base, QUICK_DATA, g.metric) for g in targets] if quick else targets
        table = goals(results / records_folder("", quick=quick), list(dict.fromkeys(of)))
        return write_table(out, name, title, table)

    return Artifact(name, title, lambda quick: _trainings(targets, tasks, quick), write)


GOALS = (
    _artifact("goals", "Accuracy the study is held to", ACCURACY_GOALS, ("probe",)),
    _artifact(
        "goals-clustering", "Clusters the study is held to", CLUSTER_GOALS, ("probe", "cluster")
    ),
)
