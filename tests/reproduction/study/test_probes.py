"""The table of two probes: pairs, spreads, and runs that only one probe scored."""

from __future__ import annotations

import pytest

from homogcl.pages.table import Gain
from homogcl.runs.record import Record, Summary
from reproduction.artifact import GraphTraining
from reproduction.study.probes import PROBES, SEEDS, probes_table
from tests.records import make_record


def run(seed: int, **metrics: float) -> Record:
    return make_record(method="grace", data="cora", seed=seed, metrics=metrics)


def test_both_probes_are_compared_on_the_runs_that_both_scored() -> None:
    runs = [
        run(0, adam_test_accuracy=0.80, test_accuracy=0.82, adam_spread=0.004, probe_spread=0.0),
        run(1, adam_test_accuracy=0.82, test_accuracy=0.83),
        run(2, adam_test_accuracy=0.10),
    ]
    table = probes_table([("grace", "cora", runs), ("raw", "cora", [run(0, test_accuracy=0.5)])])
    assert len(table.rows) == 1
    method, data, before, after, difference, adam_spread, spread = table.rows[0]
    assert (method, data) == ("grace", "cora")
    assert isinstance(before, Summary)
    assert isinstance(after, Summary)
    assert isinstance(difference, Gain)
    assert [before.mean, after.mean] == pytest.approx([81, 82.5])
    assert before.n == after.n == 2
    assert difference.difference.mean == pytest.approx(1.5)
    assert adam_spread == pytest.approx(0.4)
    assert spread == 0


def test_each_first_seed_has_the_spread_and_every_seed_both_probes() -> None:
    trainings = PROBES.trainings(False)
    assert len(trainings) == 5 * sum(SEEDS.values()) + 2 * (1 + 1 + 1 + 5 + 3)
    for training in trainings:
        assert isinstance(training, GraphTraining)
        assert {"probe", "probe-adam"} <= set(training.spec.tasks)
        assert ("probe-spread" in training.spec.tasks) == (training.spec.seed == 0)
