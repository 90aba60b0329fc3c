"""How neighbors become positives of methods that have no negatives: by a term, or by a mean."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import normalize

from homogcl.homophily.positives import Positives
from homogcl.nn.sparse import Pattern, pair_products


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


def mean_cosine(
    own: Tensor, a: Tensor, b: Tensor, positives: Positives, unit: float = 1.0
) -> Tensor:
    """Return the mean over each node's positives: its own score, and its neighbors' cosines, [N].

    Args:
        own: Scores of the nodes' own pairs, [N].
        a: The anchors' vectors, [N, d].
        b: The neighbors' vectors, [N, d].
        positives: The weighted pairs.
        unit: What a cosine is multiplied by, to be of the own scores' scale.
    """
    pairs = Pattern.of(positives.edge_index, a.size(0))
    near = pair_products(normalize(a), normalize(b), pairs)
    return positives.mean(own, unit * near, pairs.row)
