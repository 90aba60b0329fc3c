"""The table of batches and the whole graph, and its trainings."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from homogcl.data.catalog import published_nodes
from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphTraining
from reproduction.study.batches import BATCHES, EPOCHS, KINDS, METHOD, WHOLE, batches

_OF_BATCHES = ("batch", "batch_size", "fanout", "epochs")


def test_only_batches_and_epochs_differ() -> None:
    trainings = [each for each in BATCHES.trainings(False) if isinstance(each, GraphTraining)]
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    for data in EPOCHS:
        settings = [each.spec.settings().flat() for each in trainings if each.spec.data == data]
        rest = [{k: v for k, v in each.items() if k not in _OF_BATCHES} for each in settings]
        assert all(each == rest[0] for each in rest)


@pytest.mark.parametrize("data", EPOCHS)
def test_batches_make_as_many_steps(data: str) -> None:
    nodes, usual = published_nodes(data), resolve(METHOD, data).train.epochs
    assert nodes is not None
    steps = math.ceil(nodes / 4096)
    assert 0 <= EPOCHS[data] * steps - usual < steps


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in BATCHES.trainings(True):
        training.run(tmp_path)
    table = batches(tmp_path, quick=True)
    assert [row[2] for row in table.rows] == list(KINDS)
    assert table.rows[0][2] == WHOLE
    files = BATCHES.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
