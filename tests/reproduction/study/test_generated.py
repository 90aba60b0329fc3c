"""Gains on generated graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.data.shares import Shares
from reproduction.artifact import GraphTraining
from reproduction.study.generated import GENERATED, HOMOPHILY, SEEDS, TOPIC_SHARES
from tests.records import make_record


def trainings(*, quick: bool) -> list[GraphTraining]:
    result = [each for each in GENERATED.trainings(quick) if isinstance(each, GraphTraining)]
    assert len(result) == len(GENERATED.trainings(quick))
    return result


def test_every_graph_has_the_base_and_three_kinds_on_the_same_seeds() -> None:
    runs = [(each.spec.data, each.spec.seed) for each in trainings(quick=False)]
    graphs = {Shares(h, t).name() for h in HOMOPHILY for t in TOPIC_SHARES}
    assert {(data, seed): runs.count((data, seed)) for data, seed in runs} == {
        (data, seed): 4 for data in graphs for seed in range(SEEDS)
    }


def test_the_picture_follows_the_records(tmp_path: Path) -> None:
    pictures = []
    for level in (0.6, 0.7):
        for training in trainings(quick=True):
            accuracy = level if "+" in training.spec.method else 0.5
            record = make_record(seed=training.spec.seed, metrics={"test_accuracy": accuracy})
            path = training.path(tmp_path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(record.model_dump_json(), "utf-8")
        _, drawing = GENERATED.write(tmp_path, tmp_path / "out", True)
        pictures.append(drawing.read_bytes())
    assert pictures[0] != pictures[1]


def test_gains_between_two_probes_are_refused(tmp_path: Path) -> None:
    for training in trainings(quick=True):
        metric = "test_accuracy" if "+" in training.spec.method else "adam_test_accuracy"
        path = training.path(tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = make_record(seed=training.spec.seed, metrics={metric: 0.5})
        path.write_text(record.model_dump_json(), "utf-8")
    with pytest.raises(UserError, match="was scored by another probe than GRACE"):
        GENERATED.write(tmp_path, tmp_path / "out", True)


def test_a_missing_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="run `python -m reproduction generated --quick`"):
        GENERATED.write(tmp_path, tmp_path, True)
