"""What augmentation is worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.catalog import FIGURES
from reproduction.vision.image_training import ImageTraining
from reproduction.vision.images import CIFAR
from tests.figure_records import keep_all


@pytest.mark.parametrize("there", [True, False])
def test_digits_stand_in_for_images_that_are_not_at_hand(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path))
    if there:
        (tmp_path / CIFAR).parent.mkdir()
        (tmp_path / CIFAR).touch()
    trainings = [
        c for c in FIGURES["augmentation"].trainings(False) if isinstance(c, ImageTraining)
    ]
    assert {training.data for training in trainings} == {"cifar10" if there else "digits"}
    keep_all("augmentation", tmp_path / "results", quick=False)
    _, drawn = FIGURES["augmentation"].write(tmp_path / "results", tmp_path / "out", False)
    assert ("CIFAR-10" if there else "digits") in drawn.read_text("utf-8")
