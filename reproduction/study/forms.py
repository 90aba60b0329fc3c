"""The form of an embedding: the last layer, or what validation nodes choose."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from homogcl.methods.forms import AUTO, LAST
from homogcl.pages.metric_cells import pair_cells
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, GraphTraining, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "The last layer, or the form that validation nodes choose"
METHOD, DATA = "grace", "photo"
SEEDS = range(5, 10)  # the forms to choose from were listed after a look at others
COLUMNS = ("Data set", "Method", "Epochs", "Last layer", "Chosen", "Difference [95 %]", "Forms")
_FOLDER: Final = "study/forms"


def forms(results: Path) -> Table:
    """Return the table from the folder of records `results`."""
    return forms_table(read_records(results / _FOLDER))


def forms_table(records: Iterable[Record]) -> Table:
    """Return test accuracies of both on common seeds, their difference, and what was chosen.

    Args:
        records: Runs that differ in the form alone; those that chose have a setting that says so.
    """
    groups: dict[tuple[str, str], dict[bool, list[Record]]] = {}
    for record in sorted(records, key=lambda record: record.seed):
        chose = _chose(record)
        groups.setdefault((record.data, record.method), {}).setdefault(chose, []).append(record)
    rows = []
    for key, runs in sorted(groups.items()):
        last, chosen = runs.get(False, []), runs.get(True, [])
        names = dict.fromkeys(str(run.setting("form", "data")) for run in chosen)
        epochs = (last or chosen)[0].epochs
        cells = pair_cells(last, chosen, "test_accuracy")
        rows.append((*key, epochs, *cells, ", ".join(names)))
    return Table(COLUMNS, tuple(rows), decimals=2)


def _chose(record: Record) -> bool:
    data = record.settings.get("data")
    return isinstance(data, dict) and data.get("form") == AUTO


def _trainings(quick: bool) -> list[Training]:
    folder = records_folder(_FOLDER, quick=quick)
    short = quick_settings(METHOD) if quick else {}
    return [
        GraphTraining(
            Request(
                METHOD,
                QUICK_DATA if quick else DATA,
                seed,
                {**short, **({} if form == LAST else {"form": form})},
                tasks=("probe",),
            ),
            folder,
        )
        for seed in (SEEDS[:1] if quick else SEEDS)
        for form in (LAST, AUTO)
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    table = forms_table(read_records(results / records_folder(_FOLDER, quick=quick)))
    return write_table(out, "forms", TITLE, table)


FORMS = Artifact("forms", TITLE, _trainings, _write)
