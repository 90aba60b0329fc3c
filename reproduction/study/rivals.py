"""The default against its rivals on generated graphs, over homophily and what words tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from homogcl.advice.neighborhoods import METHOD
from homogcl.data.shares import Shares
from homogcl.pages.metric_cells import after_holm, gain, mean_cell
from homogcl.pages.table import Gain, Table
from homogcl.runs.record import Record
from reproduction.advice_training import AdviceTraining
from reproduction.artifact import Artifact, Training, write_table
from reproduction.plan import QUICK_DATA
from reproduction.study.advice import TOPIC_SHARES, TRAINED, on_generated

TITLE = "The default against its rivals on generated graphs"
NAME = "rivals"
HOMOPHILY = (0.3, 0.5, 0.7, 0.9, 0.95)
NODES = 1000  # of each graph; above it a training by steps takes minutes
LEARN_NOTHING = ("raw", "propagation")
OTHERS = (*LEARN_NOTHING, *TRAINED)
SEEDS: Final[Mapping[str, int]] = {
    **dict.fromkeys((METHOD, *LEARN_NOTHING), 10),
    **dict.fromkeys(TRAINED, 3),
}
COLUMNS = ("Graph", METHOD, *(f"over {rival} [95 %]" for rival in OTHERS))


def rivals_table(graphs: Mapping[str, Sequence[Record]]) -> Table:
    """Return the default's test accuracy on each graph, and its differences to the rivals'.

    Args:
        graphs: Runs of all methods on each graph; a seed draws one graph for all of them.
    """

    def of(method: str, runs: Sequence[Record]) -> list[Record]:
        return [run for run in runs if run.method == method]

    gains: dict[tuple[str, ...], Gain | None] = {
        (f"over {rival}", name): gain(of(rival, runs), of(METHOD, runs))
        for name, runs in graphs.items()
        for rival in OTHERS
    }
    marked, notes = after_holm(gains)
    rows = tuple(
        (
            name,
            mean_cell(of(METHOD, runs), "test_accuracy"),
            *(marked[f"over {rival}", name] for rival in OTHERS),
        )
        for name, runs in graphs.items()
    )
    return Table(COLUMNS, rows, decimals=2, notes=notes)


def rivals(results: Path, *, quick: bool = False) -> Table:
    """Return the table from the folder of records `results`."""
    graphs: dict[str, list[Record]] = {}
    for training in _runs(quick):
        of_graph = graphs.setdefault(training.spec.name, [])
        if (record := training.find_record(results)) is not None:
            of_graph.append(record)
    return rivals_table(graphs)


def _runs(quick: bool) -> list[AdviceTraining]:
    if quick:
        methods = (METHOD, *LEARN_NOTHING)
        return [on_generated(each, QUICK_DATA, 300, 0, quick=True) for each in methods]
    return [
        on_generated(method, Shares(homophily, topics).name(), NODES, seed)
        for method, seeds in SEEDS.items()
        for topics in TOPIC_SHARES
        for homophily in HOMOPHILY
        for seed in range(seeds)
    ]


def _trainings(quick: bool) -> list[Training]:
    return list(_runs(quick))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, rivals(results, quick=quick))


RIVALS = Artifact(NAME, TITLE, _trainings, _write)
