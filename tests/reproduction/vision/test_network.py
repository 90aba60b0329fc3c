"""The residual network."""

from __future__ import annotations

import torch
from torch import Tensor

from reproduction.vision.network import ResNet


def pictures(count: int = 4, channels: int = 3, size: int = 8) -> Tensor:
    rng = torch.Generator().manual_seed(1)
    return torch.rand(count, channels, size, size, generator=rng)


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
