"""Random changes of images."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from reproduction.vision.transforms import TransformConfig, transform

UNCHANGED = TransformConfig(smallest_crop=1, flip=0, jitter=0, gray=0)


def pictures(count: int = 4, channels: int = 3, size: int = 8) -> Tensor:
    rng = torch.Generator().manual_seed(1)
    return torch.rand(count, channels, size, size, generator=rng)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


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
