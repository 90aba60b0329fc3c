"""SimCLR's augmentations of a batch of images in plain torch: crop, flip, color, gray."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from homogcl.core.config import Config, Probability

_LUMA = (0.299, 0.587, 0.114)  # of red, green and blue, ITU-R BT.601


class TransformConfig(Config):
    """The strength of the augmentations."""

    smallest_crop: float = Field(default=0.2, gt=0, le=1)  # share of the area that must remain
    flip: Probability = 0.5
    jitter: float = Field(default=0.4, ge=0, lt=1)  # of brightness, contrast and saturation
    jitter_probability: Probability = 0.8
    gray: Probability = 0.2


def transform(images: Tensor, config: TransformConfig, rng: torch.Generator) -> Tensor:
    """Return a random view of each image, with values in 0..1.

    Args:
        images: [n, channels, height, width], values in 0..1.
        config: Strength of the augmentations; images of one channel have no color to change.
        rng: Random generator of the augmentations.
    """
    changed = _crop_and_flip(images, config, rng)
    return _recolor(changed, config, rng).clamp(0, 1)


def _crop_and_flip(images: Tensor, config: TransformConfig, rng: torch.Generator) -> Tensor:
    """Return a random part of each image, with sides from 3:4 to 4:3, at the former size."""
    n = images.size(0)
    area = _uniform(n, config.smallest_crop, 1, rng)
    # A part of this area fits into the image if no side is longer than 1.
    longest = (-area.log()).clamp(max=math.log(4 / 3))
    shape = (longest * _uniform(n, -1, 1, rng)).exp()
    height, width = (area * shape).sqrt(), (area / shape).sqrt()
    mirrored = torch.where(torch.rand(n, generator=rng) < config.flip, -1.0, 1.0)
    # Coordinates run from -1 to 1: a part of width w has its center within 1 - w of the middle.
    theta = torch.zeros(n, 2, 3)
    theta[:, 0, 0], theta[:, 1, 1] = width * mirrored, height
    theta[:, 0, 2] = (1 - width) * _uniform(n, -1, 1, rng)
    theta[:, 1, 2] = (1 - height) * _uniform(n, -1, 1, rng)
    grid = functional.affine_grid(theta, list(images.shape), align_corners=False)
    return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


def _recolor(images: Tensor, config: TransformConfig, rng: torch.Generator) -> Tensor:
    n = images.size(0)
    brightness, contrast, saturation = (
        _uniform(n, 1 - config.jitter, 1 + config.jitter, rng)[:, None, None, None]
        for _ in range(3)
    )
    jittered = torch.rand(n, generator=rng) < config.jitter_probability
    grayed = torch.rand(n, generator=rng) < config.gray
    if images.size(1) != len(_LUMA):
        return images
    changed = (images * brightness).clamp(0, 1)
    middle = _gray(changed).mean(dim=(2, 3), keepdim=True)
    changed = ((changed - middle) * contrast + middle).clamp(0, 1)
    gray = _gray(changed)
    changed = (changed - gray) * saturation + gray
    images = torch.where(jittered[:, None, None, None], changed, images)
    return torch.where(grayed[:, None, None, None], _gray(images).expand_as(images), images)


def _gray(images: Tensor) -> Tensor:
    luma = torch.tensor(_LUMA).view(1, 3, 1, 1)
    return (images * luma).sum(dim=1, keepdim=True)


def _uniform(count: int, low: float, high: float, rng: torch.Generator) -> Tensor:
    return low + (high - low) * torch.rand(count, generator=rng)
