"""Splits of the nodes: those that train, validate and test a classifier on the embeddings."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

SplitName = Literal["public", "random"]
SplitKind = Literal["public", "random", "none"]  # "none" where no node has a label


def random_split(num_nodes: int, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return boolean masks [N] of training (10 %), validation (10 %) and test nodes (the rest).

    The masks do not overlap and cover every node; nodes are drawn uniformly, as in the papers
    that use this split, so class shares vary with the draw. Below 10 nodes, one trains and one
    validates, as long as one is left to test.
    """
    tenth = max(num_nodes // 10, int(num_nodes > 2))
    order = torch.randperm(num_nodes, generator=rng)
    parts = order[:tenth], order[tenth : 2 * tenth], order[2 * tenth :]
    train, val, test = (_mask(part, num_nodes) for part in parts)
    return train, val, test


def random_split_of(labeled: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return a random split of the nodes in the mask `labeled` [N]; the others are in no part."""
    nodes = labeled.nonzero().squeeze(1)
    parts = random_split(len(nodes), rng)
    train, val, test = (_mask(nodes[part], len(labeled)) for part in parts)
    return train, val, test


def _mask(nodes: Tensor, num_nodes: int) -> Tensor:
    mask = torch.zeros(num_nodes, dtype=torch.bool)
    mask[nodes] = True
    return mask
