"""The term through which neighbors become positives of methods that have no negatives."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import normalize

from homogcl.positives import Positives
from homogcl.sparse import Pattern, pair_products


def neighbor_loss(a: Tensor, b: Tensor, positives: Positives) -> Tensor:
    """Return the loss to minimize: minus the mean over the pairs of S_ij cos(a_i, b_j).

    It is -ℓ_2 of HomoGCL, Section 4.4. Where a node's neighbors weigh as one together, the mean
    is over the nodes.

    Args:
        a: The anchors' vectors, [N, d].
        b: The neighbors' vectors, [N, d].
        positives: The weighted pairs, at least one.
    """
    n = a.size(0)
    pairs = Pattern.of(positives.edge_index, n)
    weight = positives.numerator(pairs.row, n)
    count = n if positives.averaged else weight.numel()
    return -(weight * pair_products(normalize(a), normalize(b), pairs)).sum() / count
