"""Trainings on generated graphs of any size, and what `inspect` measures on them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from homogcl.advice.neighborhoods import likeness
from homogcl.core.errors import UserError
from homogcl.data.summary import summarize
from homogcl.runs.request import Request
from reproduction.advice_training import (
    ADJUSTED,
    LIKENESS,
    VALIDATION_NODES,
    AdviceTraining,
    generated,
)


def test_a_generated_graph_has_the_shares_of_its_name_and_the_size_that_is_asked_for() -> None:
    graph = generated("demo-h30-t20", 400, seed=1)
    assert graph.num_nodes == 400
    assert summarize(graph).homophily == pytest.approx(0.3, abs=0.01)
    assert int(graph.val_mask.sum()) == 40
    other = generated("demo-h30-t20", 400, seed=2)
    assert not torch.equal(graph.y, other.y)
    with pytest.raises(UserError, match="cora names no generated graph"):
        generated("cora", 400, seed=0)


def test_the_defaults_record_has_the_likeness_of_inspect(tmp_path: Path) -> None:
    spec = Request("homogcl", "demo-h90", 3, {"features": "raw"}, tasks=("probe",))
    training = AdviceTraining(spec, "here", 400)
    record, ran = training.run(tmp_path)
    assert ran
    assert record.data == "demo-h90-n400"
    expected = likeness(generated("demo-h90", 400, 3), 3)
    assert expected is not None
    assert record.metrics[LIKENESS] == pytest.approx(expected.share)
    assert record.metrics[VALIDATION_NODES] == 40
    assert 0 < record.metrics["val_accuracy"] <= 1
    assert training.run(tmp_path) == (record, False)


def test_wrong_edges_are_named_and_counted(tmp_path: Path) -> None:
    spec = Request("homogcl", "demo-h90", 3, {"features": "raw"}, tasks=("probe",))
    record, _ = AdviceTraining(spec, "here", 400, wrong=1.0).run(tmp_path)
    assert record.data == "demo-h90-n400-w100"
    assert abs(record.metrics[ADJUSTED]) < 0.1
    whole, _ = AdviceTraining(spec, "here", 400).run(tmp_path)
    assert whole.metrics[ADJUSTED] > 0.7


def test_other_methods_measure_nothing_more(tmp_path: Path) -> None:
    spec = Request("raw", "demo-h90", 3, {"features": "raw"}, tasks=("probe",))
    record, _ = AdviceTraining(spec, "here", 400).run(tmp_path)
    assert LIKENESS not in record.metrics
