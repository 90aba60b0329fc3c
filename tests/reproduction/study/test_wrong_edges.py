"""The table of wrong edges: who is beaten by features alone, and who finds what was planted."""

from __future__ import annotations

from homogcl.pages.table import NO_BETTER
from homogcl.runs.record import Record, Summary
from reproduction.planted_training import AREA, PlantedTraining
from reproduction.study.wrong_edges import (
    DATA,
    METHODS,
    SEEDS,
    SHARES,
    WRONG_EDGES,
    wrong_edges_table,
)
from tests.records import make_record


def run(method: str, seed: int, accuracy: float, area: float) -> Record:
    metrics = {"test_accuracy": accuracy, AREA: area}
    return make_record(method=method, data="cora-wrong50", seed=seed, metrics=metrics)


def test_each_share_is_a_row_of_accuracies_and_areas() -> None:
    runs = [
        run("raw", 0, 0.64, 0.5),
        run("propagation", 0, 0.60, 0.6),
        run("homogcl", 0, 0.71, 0.8),
        run("homogcl", 1, 0.73, 0.9),
    ]
    table = wrong_edges_table({("cora", 0.0): [], ("cora", 0.5): runs})
    assert table.rows[0] == ("cora", "0%", *[None] * 8)
    data, share, raw, random, propagation, homogcl, *areas = table.rows[1]
    assert (data, share, random) == ("cora", "50%", None)
    assert isinstance(raw, Summary)
    assert isinstance(propagation, Summary)
    assert isinstance(homogcl, Summary)
    assert (raw.mean, propagation.mean, homogcl.mean, homogcl.n) == (64, 60, 72, 2)
    assert NO_BETTER not in homogcl.mark
    means = [round(each.mean, 6) for each in areas if isinstance(each, Summary)]
    assert means == [0.5, 0.6, 0.85]


def test_every_cell_has_its_trainings_on_one_kind_of_split() -> None:
    trainings = WRONG_EDGES.trainings(False)
    assert len(trainings) == len(DATA) * len(SHARES) * len(METHODS) * SEEDS
    assert len({training.label for training in trainings}) == len(trainings)
    for training in trainings:
        assert isinstance(training, PlantedTraining)
        assert training.spec.settings().data.split == "random"
