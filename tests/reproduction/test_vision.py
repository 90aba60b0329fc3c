"""SimCLR and what it is made of, on small images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from homogcl.core.errors import UserError
from reproduction.pair_similarity import mean_similarities
from reproduction.vision import (
    ResNet,
    SimCLRConfig,
    TransformConfig,
    VisionEpoch,
    load_images,
    train_simclr,
    transform,
)
from reproduction.vision.images import CIFAR

UNCHANGED = TransformConfig(smallest_crop=1, flip=0, jitter=0, gray=0)


def pictures(count: int = 4, channels: int = 3, size: int = 8) -> Tensor:
    rng = torch.Generator().manual_seed(1)
    return torch.rand(count, channels, size, size, generator=rng)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(n=st.integers(2, 9), d=st.integers(1, 5), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=25)
def test_similarities_are_the_means_over_all_pairs(n: int, d: int, seed: int) -> None:
    u, v = torch.randn(2, n, d, generator=rng(seed)).unbind()
    cosine = [[float(functional.cosine_similarity(a, b, dim=0)) for b in v] for a in u]
    own = [cosine[i][i] for i in range(n)]
    others = [cosine[i][j] for i in range(n) for j in range(n) if i != j]
    found = mean_similarities(u, v)
    assert found.positive == pytest.approx(sum(own) / n, abs=1e-5)
    assert found.negative == pytest.approx(sum(others) / len(others), abs=1e-5)


def test_digits_stand_in_where_the_file_is_missing(tmp_path: Path) -> None:
    images = load_images(tmp_path)
    assert images.name == "digits"
    assert images.train.shape == (1437, 1, 8, 8)
    assert len(images.test) == len(images.test_y) == 360
    assert float(images.train.min()) == 0
    assert float(images.train.max()) == 1
    assert len(images.sha256) == 64


def test_the_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / CIFAR).parent.mkdir()
    pixels = np.arange(2 * 4 * 4 * 3, dtype=np.uint8).reshape(2, 4, 4, 3)
    labels = np.array([3, 1], dtype=np.uint8)
    np.savez(tmp_path / CIFAR, x_train=pixels, y_train=labels, x_test=pixels[:1], y_test=labels[:1])
    images = load_images(tmp_path)
    assert images.name == "cifar10"
    assert images.channels == 3
    assert images.train_y.tolist() == [3, 1]
    # Row 2, column 3, channel 1 of the second image.
    assert float(images.train[1, 1, 2, 3]) == pytest.approx(pixels[1, 2, 3, 1] / 255)


@pytest.mark.parametrize("content", [b"no archive", b""])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CIFAR).parent.mkdir()
    (tmp_path / CIFAR).write_bytes(content)
    with pytest.raises(UserError, match="cifar10_subset"):
        load_images(tmp_path)


def test_images_may_be_asked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cifar10_subset"):
        load_images(tmp_path, "cifar10")
    (tmp_path / CIFAR).parent.mkdir()
    (tmp_path / CIFAR).write_bytes(b"not looked at")
    assert load_images(tmp_path, "digits").name == "digits"


def test_no_change_changes_nothing() -> None:
    images = pictures()
    torch.testing.assert_close(transform(images, UNCHANGED, rng()), images)


def test_a_flip_mirrors_left_and_right() -> None:
    images = pictures()
    flipped = transform(images, UNCHANGED.model_copy(update={"flip": 1.0}), rng())
    torch.testing.assert_close(flipped, images.flip(3))


def test_gray_has_equal_channels_of_the_same_brightness() -> None:
    images = pictures()
    gray = transform(images, UNCHANGED.model_copy(update={"gray": 1.0}), rng())
    torch.testing.assert_close(gray[:, 0], gray[:, 2])
    luma = 0.299 * images[:, 0] + 0.587 * images[:, 1] + 0.114 * images[:, 2]
    torch.testing.assert_close(gray[:, 1], luma)


@pytest.mark.parametrize("channels", [1, 3])
def test_changes_are_drawn_from_the_generator_and_stay_in_range(channels: int) -> None:
    images = pictures(16, channels)
    first, again = (transform(images, TransformConfig(), rng(5)) for _ in range(2))
    torch.testing.assert_close(first, again, rtol=0, atol=0)
    other = transform(images, TransformConfig(), rng(6))
    assert not torch.equal(first, other)
    assert first.shape == images.shape
    assert 0 <= float(first.min()) <= float(first.max()) <= 1


def test_a_crop_shows_only_what_was_there() -> None:
    """An image that rises from left to right still does, over a smaller range."""
    ramp = torch.linspace(0, 1, 16).expand(8, 1, 16, 16)
    config = UNCHANGED.model_copy(update={"smallest_crop": 0.3})
    cropped = transform(ramp, config, rng())
    assert bool((cropped.diff(dim=3) >= -1e-6).all())
    ranges = cropped.amax(dim=(1, 2, 3)) - cropped.amin(dim=(1, 2, 3))
    assert float(ranges.min()) < 0.9


def test_a_stem_of_stride_two_halves_before_the_first_stage() -> None:
    network = ResNet(3, (4, 6), stem_stride=2)
    assert network.stem(pictures()).shape == (4, 4, 4, 4)
    assert network(pictures()).shape == (4, 6)


def test_the_network_halves_at_each_stage_but_the_first() -> None:
    network = ResNet(3, (4, 6, 8))
    seen: list[tuple[int, ...]] = []
    for stage in network.stages:
        stage.register_forward_hook(lambda _, __, out: seen.append(tuple(out.shape[1:])))
    assert network(pictures()).shape == (4, 8)
    assert seen == [(4, 8, 8), (6, 4, 4), (8, 2, 2)]


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
