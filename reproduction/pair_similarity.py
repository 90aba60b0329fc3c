"""The mean similarity of positive and of negative pairs, for the paper's Figure 2."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Similarities:
    """Mean cosine of the pairs (u_i, v_i), and of all other pairs between the two views."""

    positive: float
    negative: float


def mean_similarities(u: Tensor, v: Tensor) -> Similarities:
    """Return the mean cosines of two views' vectors, [N, d] each, N at least 2.

    The sum over all N² pairs is the product of the two sums of unit vectors, so time is O(N d).
    """
    n = u.size(0)
    a, b = functional.normalize(u.detach()).double(), functional.normalize(v.detach()).double()
    own, all_pairs = float((a * b).sum()), float(a.sum(0) @ b.sum(0))
    return Similarities(own / n, (all_pairs - own) / (n * (n - 1)))
