"""SimCLR on small images."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from reproduction.vision.images import load_images
from reproduction.vision.simclr import SimCLRConfig, VisionEpoch, train_simclr


def pictures(count: int = 4, channels: int = 3, size: int = 8) -> Tensor:
    rng = torch.Generator().manual_seed(1)
    return torch.rand(count, channels, size, size, generator=rng)


def trained(augmentation: bool, epochs: int = 3) -> tuple[Tensor, list[VisionEpoch]]:
    images = load_images(Path("nowhere")).train[:128]
    config = SimCLRConfig(
        widths=(8, 16), batch_size=64, epochs=epochs, augmentation=augmentation, flip=0
    )
    history: list[VisionEpoch] = []
    model = train_simclr(images, config, seed=0, on_epoch=history.append)
    return model.embed(images), history


def test_training_lowers_the_loss_and_repeats_itself() -> None:
    z, history = trained(augmentation=True)
    assert history[-1].loss < history[0].loss
    assert history[-1].similarities.positive > history[-1].similarities.negative
    again, _ = trained(augmentation=True)
    torch.testing.assert_close(z, again, rtol=0, atol=0)


def test_without_augmentation_positives_are_identical() -> None:
    """The caption of the paper's Figure 2 says so; only the negatives are learned from."""
    _, history = trained(augmentation=False)
    for epoch in history:
        assert epoch.similarities.positive == pytest.approx(1, abs=1e-6)
    assert history[-1].similarities.negative < history[0].similarities.negative


def test_embedding_leaves_the_mode_alone() -> None:
    images = load_images(Path("nowhere")).train[:32]
    model = train_simclr(images, SimCLRConfig(widths=(4,), batch_size=32, epochs=1), seed=0)
    assert model.training
    torch.testing.assert_close(model.embed(images, 7), model.embed(images, 32))
    assert model.training
