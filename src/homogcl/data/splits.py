"""Which nodes train, validate and test a classifier on the embeddings."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

SplitName = Literal["public", "random"]


def random_split(num_nodes: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return boolean masks [N] of training (10 %), validation (10 %) and test nodes (the rest).

    The masks do not overlap and cover every node; nodes are drawn uniformly, as in the papers
    that use this split, so class shares vary with the draw.
    """
    tenth = num_nodes // 10
    order = torch.randperm(num_nodes, generator=rng)
    parts = order[:tenth], order[tenth : 2 * tenth], order[2 * tenth :]
    train, val, test = (_mask(part, num_nodes) for part in parts)
    return train, val, test


def _mask(nodes: Tensor, num_nodes: int) -> Tensor:
    mask = torch.zeros(num_nodes, dtype=torch.bool)
    mask[nodes] = True
    return mask
