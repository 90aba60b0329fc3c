"""Validation chooses the epochs, over all seeds at once."""

import pytest

from homogcl.core.errors import UserError
from homogcl.runs.record import Record
from reproduction.best_milestone import best_milestone
from tests.records import make_record


def milestones(*accuracies: tuple[int, float]) -> dict[str, dict[str, float]]:
    return {str(epochs): {"val_accuracy": accuracy} for epochs, accuracy in accuracies}


def test_best_milestone_has_the_highest_mean_validation_accuracy() -> None:
    records = [
        make_record({}, seed=0, milestones=milestones((20, 0.9), (50, 0.7), (100, 0.8))),
        make_record({}, seed=1, milestones=milestones((20, 0.5), (50, 0.8), (100, 0.8))),
    ]
    assert best_milestone(records) == 100
    assert best_milestone(records[:1]) == 20


def test_best_milestone_compares_shared_epochs_and_prefers_the_fewest() -> None:
    records = [
        make_record({}, seed=0, milestones=milestones((9, 0.75), (100, 0.75), (200, 0.99))),
        make_record(
            {},
            seed=1,
            milestones=milestones((9, 0.5), (100, 0.5)) | {"200": {"test_accuracy": 0.9}},
        ),
    ]
    assert best_milestone(records) == 9


@pytest.mark.parametrize("records", [[], [make_record({})]])
def test_best_milestone_needs_a_milestone(records: list[Record]) -> None:
    with pytest.raises(UserError, match="no milestone"):
        best_milestone(records)


def test_best_milestone_goes_by_the_probe_that_scored_more_epochs() -> None:
    former = {"20": {"adam_val_accuracy": 0.9}, "50": {"adam_val_accuracy": 0.8}}
    assert best_milestone([make_record({}, metrics={}, milestones=former)]) == 20
    both = {
        epochs: former[epochs] | {"val_accuracy": accuracy}
        for epochs, accuracy in (("20", 0.5), ("50", 0.6))
    }
    assert best_milestone([make_record({}, metrics={}, milestones=both)]) == 50
    half = {"20": former["20"], "50": both["50"]}
    assert best_milestone([make_record({}, metrics={}, milestones=half)]) == 20


def test_the_end_of_a_training_may_be_the_best() -> None:
    record = make_record(
        {"train": {"epochs": 50}},
        milestones=milestones((20, 0.6)),
        metrics={"val_accuracy": 0.7},
    )
    assert best_milestone([record]) == 50
