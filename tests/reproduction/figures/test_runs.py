"""The runs behind figures, and what is said of one without a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from reproduction.artifact import GraphTraining
from reproduction.catalog import FIGURES
from tests.figure_records import keep_all
from tests.records import make_record


def test_a_record_without_the_metric_is_as_good_as_none(tmp_path: Path) -> None:
    training = keep_all("saliency", tmp_path, quick=True)[0]
    assert isinstance(training, GraphTraining)
    bare = make_record(metrics={"test_accuracy": 0.8})
    training.path(tmp_path).write_text(bare.model_dump_json(), "utf-8")
    with pytest.raises(UserError, match="python -m reproduction saliency"):
        FIGURES["saliency"].write(tmp_path, tmp_path, True)
