"""Neighbors as positives of methods without negatives: in a term of their own, or in a mean."""

from __future__ import annotations

from torch import Tensor

from homogcl.homophily.positives import Combine, Positives
from homogcl.nn.pair_products import weighted_sums
from homogcl.nn.unit_rows import of_length


def neighbor_loss(a: Tensor, b: Tensor, positives: Positives) -> Tensor:
    """Return the loss to minimize: minus the mean over the pairs of S_ij cos(a_i, b_j).

    It is -ℓ_2 of HomoGCL, Section 4.4, with vectors of anchors and of neighbors, [N, d] each.
    """
    pairs = positives.pattern(a.size(0))
    a, b = of_length(a, 1.0), of_length(b, 1.0)
    return -weighted_sums(a, b, pairs, positives.weight).sum() / positives.weight.numel()


def neighbor_term(positives: Positives, *sides: tuple[Tensor, Tensor]) -> dict[str, Tensor]:
    """Return the term `neighbors`, the sum of the sides' losses, or nothing if it does not apply.

    A side has the vectors of the anchors and of their neighbors, [N, d] each.
    """
    if positives.is_empty or positives.combine is not Combine.TERM:
        return {}
    first, *others = (neighbor_loss(a, b, positives) for a, b in sides)
    return {"neighbors": sum(others, first)}


def mean_cosine(
    own: Tensor, a: Tensor, b: Tensor, positives: Positives, unit: float = 1.0
) -> Tensor:
    """Return the mean of each node's own score and its neighbors' cosines, [N].

    `unit` brings cosines of anchors `a` with neighbors `b`, [N, d] each, to the scale of `own` [N].
    """
    pairs = positives.pattern(a.size(0))
    a, b = of_length(a, unit), of_length(b, 1.0)
    own_share, shares = positives.shares(pairs.row, own.numel())
    return own_share * own + weighted_sums(a, b, pairs, shares)
