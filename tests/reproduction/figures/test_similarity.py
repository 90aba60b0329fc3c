"""Curves of similarities."""

from __future__ import annotations

import pytest

from reproduction.figures.similarity import curve
from tests.records import make_record


def test_a_curve_is_the_mean_over_seeds_at_shared_epochs() -> None:
    def record(seed: int, **by_epoch: float) -> object:
        epochs = {epoch[1:]: {"a": value} for epoch, value in by_epoch.items()}
        last = {"a": 0.5}
        return make_record({"train": {"epochs": 9}}, seed=seed, metrics=last, milestones=epochs)

    records = [record(0, e1=0.2, e3=0.4), record(1, e1=0.6, e2=0.9, e3=0.4)]
    epochs, means, spread = curve(records, "a")  # type: ignore[arg-type]
    assert epochs == [1, 3, 9]
    assert means == pytest.approx([0.4, 0.4, 0.5])
    assert spread == pytest.approx([0.08**0.5, 0, 0])
