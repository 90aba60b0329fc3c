"""How alike positive and negative pairs are, on average: what the paper's Figure 2 follows."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Similarities:
    """Mean cosine of the pairs (u_i, v_i), and of all others between the two views."""

    positive: float
    negative: float


def mean_similarities(u: Tensor, v: Tensor) -> Similarities:
    """Return the mean cosines of two views' vectors, [N, d] each, N at least 2.

    The sum over all N² pairs is the product of the two sums of unit vectors, so that no pair
    needs to be looked at.
    """
    n = u.size(0)
    a, b = functional.normalize(u.detach()).double(), functional.normalize(v.detach()).double()
    own, every = float((a * b).sum()), float(a.sum(0) @ b.sum(0))
    return Similarities(own / n, (every - own) / (n * (n - 1)))
