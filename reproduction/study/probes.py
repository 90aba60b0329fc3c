"""The former probe beside the present one: what they say of the same embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from homogcl.evaluate.significance import paired_difference
from homogcl.pages.metric_cells import in_shown_unit
from homogcl.pages.table import Cell, Gain, Table
from homogcl.runs.record import Record, summarize
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "One embedding, two probes"
SEEDS = {"cora": 5, "citeseer": 5, "photo": 5, "pubmed": 3, "computers": 3}
METHODS = ("raw", "random", "propagation", "ccassg", "grace", "grace+homogcl", "grace+adaptive")
COLUMNS = (
    "Method",
    "Data set",
    "Adam's probe",
    "Probe",
    "Difference",
    "Spread of Adam's probe",
    "Spread of the probe",
)
_BOTH = ("adam_test_accuracy", "test_accuracy")
_SPREADS = ("adam_spread", "probe_spread")


def probes_table(groups: Sequence[tuple[str, str, Sequence[Record]]]) -> Table:
    """Return the test accuracy by both probes, and the spread that is the probe's own.

    Args:
        groups: Method, data set and runs of each row; runs that both probes scored count.
    """
    rows = tuple(
        (method, data, *_cells(scored))
        for method, data, records in groups
        if (scored := [run for run in records if all(name in run.metrics for name in _BOTH)])
    )
    return Table(COLUMNS, rows, decimals=2)


def _cells(runs: Sequence[Record]) -> tuple[Cell, ...]:
    before, after = ([100 * run.metrics[name] for run in runs] for name in _BOTH)
    spreads = [
        [100 * run.metrics[name] for run in runs if name in run.metrics] for name in _SPREADS
    ]
    return (
        *(in_shown_unit(summarize([run.metrics[name] for run in runs]), name) for name in _BOTH),
        Gain(paired_difference(before, after)),
        *(fmean(values) if values else None for values in spreads),
    )


def _training(method: str, data: str, seed: int, quick: bool) -> GraphTraining:
    # The first seed has the spread too: each of its probes is repeated.
    tasks = ("probe", "probe-adam", *(["probe-spread"] if seed == 0 else []))
    # The rest of the study has its runs of the adaptive plug-in there.
    folder = "study/levers" if method.endswith("+adaptive") else "presets"
    settings = quick_settings(method) if quick else {}
    spec = Request(method, QUICK_DATA if quick else data, seed, settings, tasks=tasks)
    return GraphTraining(spec, records_folder(folder, quick=quick))


def seeds_of(method: str, data: str) -> int:
    """Return the number of seeds: one where neither the embedding nor the split is drawn."""
    drawn = method not in ("raw", "propagation") or data in ("photo", "computers")
    return SEEDS.get(data, 1) if drawn else 1


def _groups(quick: bool) -> dict[tuple[str, str], list[GraphTraining]]:
    return {
        (method, data): [
            _training(method, data, seed, quick) for seed in range(seeds_of(method, data))
        ]
        for data in ((QUICK_DATA,) if quick else SEEDS)
        for method in METHODS
    }


def _trainings(quick: bool) -> list[Training]:
    return [training for group in _groups(quick).values() for training in group]


def probes(results: Path, *, quick: bool = False) -> Table:
    """Return both probes on the embeddings of untrained and trained methods."""
    groups = []
    for (method, data), trainings in _groups(quick).items():
        records = [training.find_record(results) for training in trainings]
        groups.append((method, data, [record for record in records if record is not None]))
    return probes_table(groups)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, "probes", TITLE, probes(results, quick=quick))


PROBES = Artifact("probes", TITLE, _trainings, _write)
