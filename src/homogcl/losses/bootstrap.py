"""The loss and the target's decay of methods with a slowly moving target network."""

from __future__ import annotations

import math

from torch import Tensor

from homogcl.homophily.positives import Positives
from homogcl.losses.neighbors import mean_cosine
from homogcl.nn.unit_rows import row_cosines


def bootstrap_loss(z: Tensor, h: Tensor, positives: Positives = Positives.none()) -> Tensor:
    """Return the loss to minimize: the mean of 1 - cos(z_i, h_i), in [0, 2].

    Predictions z and targets h are [N, d] each; with `positives`, the cosine is the mean over
    those of a node.
    """
    own = row_cosines(z, h)
    return 1 - (own if positives.is_empty else mean_cosine(own, z, h, positives)).mean()


def target_decay(momentum: float, progress: float) -> float:
    """Return the share of itself that the target keeps: a cosine from `momentum` up to 1.

    >>> [round(target_decay(0.9, progress), 3) for progress in (0.0, 0.5, 1.0)]
    [0.9, 0.95, 1.0]
    """
    return 1 - (1 - momentum) * (1 + math.cos(math.pi * progress)) / 2
