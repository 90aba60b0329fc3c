"""Trainings on images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.runs.record import read_record
from reproduction.vision.image_training import ImageTraining, labeled_rows
from reproduction.vision.images import Images


def few_images(*_: object) -> Images:
    """Forty images of noise in two classes, the one brighter."""
    rng = torch.Generator().manual_seed(3)
    y = torch.arange(40) % 2
    x = 0.4 * torch.rand(40, 1, 8, 8, generator=rng) + 0.3 * y.view(-1, 1, 1, 1)
    return Images("digits", x[:30], y[:30], x[30:], y[30:], "c" * 64)


@pytest.fixture
def small_images(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Images]:
    monkeypatch.setattr("reproduction.vision.image_training.load_images", few_images)
    return few_images


def test_a_tenth_of_the_training_images_validates() -> None:
    rows = labeled_rows(few_images(), 0)
    assert rows.test_mask.tolist() == [False] * 30 + [True] * 10
    assert int(rows.val_mask.sum()) == 3
    assert bool((rows.train_mask ^ rows.val_mask ^ rows.test_mask).all())
    assert not torch.equal(labeled_rows(few_images(), 1).val_mask, rows.val_mask)
    torch.testing.assert_close(rows.x[31].view(1, 8, 8), few_images().test[1])


@pytest.mark.usefixtures("small_images")
def test_images_are_recorded_once_with_a_curve_of_every_epoch(tmp_path: Path) -> None:
    tiny = {"epochs": 2, "widths": (4, 6), "batch_size": 10, "augmentation": False}
    training = ImageTraining("simclr", "digits", 0, "images", tiny)
    seen: list[int] = []
    record, ran = training.run(tmp_path, on_epoch=lambda epoch: seen.append(epoch.number))
    assert ran
    assert seen == [1, 2]
    assert read_record(training.path(tmp_path)) == record
    assert training.run(tmp_path) == (record, False)
    assert set(record.milestones) == {"1", "2"}
    assert record.epochs == 2
    curve = record.by_epochs()
    assert curve[2]["test_accuracy"] == record.metrics["test_accuracy"]
    assert curve[1]["positive_similarity"] == pytest.approx(1)
    other = replace(training, overrides={**tiny, "augmentation": True})
    assert other.path(tmp_path) != training.path(tmp_path)


@pytest.mark.usefixtures("small_images")
@pytest.mark.parametrize("method", ["pixels", "mlp"])
def test_what_simclr_is_compared_with(method: str, tmp_path: Path) -> None:
    settings = {"epochs": 5} if method == "mlp" else {}
    training = ImageTraining(method, "digits", 0, "images", settings)  # type: ignore[arg-type]
    record, ran = training.run(tmp_path)
    assert ran
    assert record.method == method
    assert 0 <= record.metrics["test_accuracy"] <= 1
    if method == "pixels":
        assert record.metrics["test_accuracy"] == 1


@pytest.mark.usefixtures("small_images")
def test_wrong_settings_of_images_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="epoch"):
        ImageTraining("simclr", "digits", 0, "images", {"epoch": 3}).path(tmp_path)
