"""The default against its rivals: differences by hand, and every cell has its trainings."""

from __future__ import annotations

import pytest

from homogcl.pages.table import Gain
from homogcl.runs.record import Record, Summary
from reproduction.study.advice import TOPIC_SHARES
from reproduction.study.rivals import COLUMNS, HOMOPHILY, OTHERS, RIVALS, SEEDS, rivals_table
from tests.records import make_record


def run(method: str, seed: int, accuracy: float) -> Record:
    return make_record(method=method, data="demo", seed=seed, metrics={"test_accuracy": accuracy})


def test_differences_are_paired_by_seed() -> None:
    runs = [
        *(run("homogcl", seed, value) for seed, value in enumerate([0.80, 0.82, 0.84])),
        *(run("propagation", seed, value) for seed, value in enumerate([0.79, 0.83, 0.81])),
        run("grace", 2, 0.85),
    ]
    table = rivals_table({"demo": runs})
    assert table.columns == COLUMNS
    name, default, *gains = table.rows[0]
    by_rival = dict(zip(OTHERS, gains, strict=True))
    assert name == "demo"
    assert isinstance(default, Summary)
    assert default.mean == pytest.approx(82)
    over, trained = by_rival["propagation"], by_rival["grace"]
    assert isinstance(over, Gain)
    assert over.difference.mean == pytest.approx(1.0)
    assert over.difference.n == 3
    assert isinstance(trained, Gain)
    assert trained.difference.mean == pytest.approx(-1.0)  # of seed 2 alone
    assert by_rival["raw"] is None


def test_every_cell_has_its_trainings() -> None:
    trainings = RIVALS.trainings(False)
    assert len(trainings) == len(TOPIC_SHARES) * len(HOMOPHILY) * sum(SEEDS.values())
    assert len({training.label for training in trainings}) == len(trainings)
