"""One training, scored in several forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from homogcl.methods.forms import LAST
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining
from reproduction.form_training import FormTraining, in_form

QUICK = {"epochs": 1, "hidden_dim": 16, "out_dim": 8, "negatives": "sampled", "num_negatives": 16}


def test_each_form_scores_as_in_a_training_of_its_own(tmp_path: Path) -> None:
    spec = Request("grace", "demo", 0, QUICK, tasks=("probe",))
    training = FormTraining(spec, "forms", ("layers",))
    assert training.label == "grace on demo in several forms, seed 0"
    record, ran = training.run(tmp_path)
    assert ran
    assert training.run(tmp_path) == (record, False)
    # A further form needs a further run.
    assert replace(training, forms=("layers", "last+x")).find_record(tmp_path) is None
    for form in (LAST, "layers"):
        overrides = {**QUICK, **({} if form == LAST else {"form": form})}
        alone, _ = GraphTraining(replace(spec, overrides=overrides), "alone").run(tmp_path)
        for name, value in in_form(record, form).metrics.items():
            assert value == pytest.approx(alone.metrics[name])
    assert in_form(record, "layers").metrics != in_form(record, LAST).metrics
