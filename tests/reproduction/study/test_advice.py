"""Rates of verdicts and recommendations, against counting by hand."""

from __future__ import annotations

import pytest

from homogcl.advice.neighborhoods import COMPARED
from homogcl.runs.record import Record
from reproduction.advice_training import ADJUSTED, LIKENESS, VALIDATION_NODES
from reproduction.study.advice import (
    ADVICE,
    HOMOPHILY,
    NAMED,
    SEEDS,
    SIZES,
    TOPIC_SHARES,
    TRAINED,
    TRAINED_SEEDS,
    WRONG,
    Advice,
    advice_of,
    advice_table,
    rates_table,
)
from tests.records import make_record

GOOD = {"homogcl": 0.8, "raw": 0.805, "propagation": 0.796}
BAD = {"homogcl": 0.7, "raw": 0.8, "propagation": 0.6}


def run(method: str, seed: int, val: float, test: float, **more: float) -> Record:
    metrics = {"val_accuracy": val, "test_accuracy": test, **more}
    return make_record(method=method, data="demo-n300", seed=seed, metrics=metrics)


def records() -> list[Record]:
    """Two seeds of all candidates, and a trained one on the second."""
    sure = {LIKENESS: 0.9, VALIDATION_NODES: 1000.0, ADJUSTED: 0.7}
    return [
        run("raw", 0, 0.5, 0.55),
        run("raw", 1, 0.9, 0.85),
        run("propagation", 0, 0.6, 0.6),
        run("propagation", 1, 0.6, 0.6),
        run("homogcl", 0, 0.62, 0.62, **sure),
        run("homogcl", 1, 0.62, 0.66, **{**sure, LIKENESS: 0.55}),
        run("grace", 1, 0.7, 0.69),
    ]


def test_choices_verdicts_and_paired_accuracies_of_a_graph() -> None:
    advice = advice_of(records())
    assert advice is not None
    assert advice.choices == ["homogcl", "raw"]
    assert advice.verdicts == [True, False]
    assert advice.same_verdict == 1
    assert advice.truths == [True, True]
    assert advice.accuracies["homogcl"] == pytest.approx(0.64)
    assert advice.accuracies["raw"] == pytest.approx(0.70)
    assert advice.accuracies["grace"] == pytest.approx(0.67)  # the default's mean, plus 3 points
    assert advice.best == "raw"
    assert advice.is_near_best("raw")
    assert not advice.is_near_best("grace")
    assert advice_of([each for each in records() if each.method != "raw"]) is None


def test_rates_count_seeds_and_graphs() -> None:
    right = Advice([0.9, 0.9], ["homogcl"] * 2, [True, False], GOOD, [0.1, 0.3])
    said = [False, True, True]
    wrong = Advice([0.5, 0.7, 0.5], ["homogcl", "raw", "raw"], said, BAD, [0.0, 0.0, 0.9])
    table = rates_table({"one": right, "two": wrong})
    assert [row[1:] for row in table.rows] == [
        ("4 of 5 seeds", "80"),
        ("1 of 2 seeds", "50"),
        ("1 of 3 seeds", "33"),
        ("4 of 5 seeds", "80"),
        ("2 of 2 graphs", "100"),
        ("1 of 3 seeds", "33"),
        ("1 of 2 graphs", "50"),
    ]
    rows = advice_table({"two": wrong}).rows
    assert rows == (
        (
            "two",
            "50 to 70",
            "doubtful",
            "doubtful",
            "2 of 3",
            "raw",
            "80.0",
            "raw",
            "80.0",
            "2 of 3",
        ),
    )


def test_every_graph_has_its_trainings() -> None:
    graphs = len(HOMOPHILY) * len(TOPIC_SHARES)
    labels = [training.label for training in ADVICE.trainings(False)]
    assert len({*labels}) == len(labels)
    graphs_untrained = len(SIZES) * len(TOPIC_SHARES) * (len(HOMOPHILY) + len(WRONG))
    untrained = graphs_untrained * len(COMPARED) * SEEDS
    assert len(labels) == untrained + graphs * len(TRAINED) * TRAINED_SEEDS + 2 * len(NAMED) * SEEDS
