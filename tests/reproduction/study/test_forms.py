"""The last layer beside the form that validation chooses."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from homogcl.pages.table import to_markdown
from homogcl.runs.forms import AUTO_FORMS
from homogcl.runs.record import Record, read_records
from reproduction.study.forms import FORMS, SEEDS, forms_table
from tests.records import make_record


def run(seed: int, accuracy: float, form: str | None = None) -> Record:
    settings: dict[str, JsonValue] = {"train": {"epochs": 50}}
    if form is not None:
        settings["data"] = {"form": "auto"}
    resolved = {**settings, "data": {"form": form or "last"}}
    return make_record(
        settings,
        method="grace",
        data="photo",
        seed=seed,
        resolved=resolved,
        metrics={"test_accuracy": accuracy},
    )


def test_both_forms_stand_on_one_row_with_what_was_chosen() -> None:
    records = [
        *(run(5, 0.90), run(6, 0.92)),
        *(run(5, 0.91, "last/unit"), run(6, 0.93, "layers"), run(7, 0.93, "layers")),
    ]
    (row,) = to_markdown(forms_table(records)).splitlines()[2:]
    assert row.startswith("| photo | grace | 50 | 91.00 ± 1.41 (2) | 92.00 ± 1.41 (2) | +1.00")
    assert row.endswith("| last/unit, layers |")


def test_seeds_are_others_than_those_that_the_forms_were_listed_by() -> None:
    assert min(SEEDS) > 4
    assert len(FORMS.trainings(False)) == 2 * len(SEEDS)


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in FORMS.trainings(True):
        training.run(tmp_path)
    records = read_records(tmp_path)
    assert {run.setting("form", "data") for run in records} <= {*AUTO_FORMS}
    assert len(FORMS.write(tmp_path, tmp_path / "out", True)) == 3
