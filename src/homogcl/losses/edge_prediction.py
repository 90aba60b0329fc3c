"""The loss of edges that are told from other pairs, each edge by its weight."""

from __future__ import annotations

from torch import Tensor

from homogcl.homophily.positives import MEANS, Positives


def edge_loss(losses: Tensor, own: Tensor, positives: Positives, place: Tensor) -> Tensor:
    """Return the loss to minimize: the mean of the predicted edges' losses, each by its weight.

    With `positives` an edge also counts by its weight among them. Under a mean the sum of all
    weights stays what it was without them.

    Args:
        losses: Of the predicted edges, [M].
        own: The method's own weights of them, [M].
        positives: All edges of the graph, or none.
        place: Positions of the predicted edges among these, int64 [M].
    """
    count = max(losses.numel(), 1)  # a step may predict nothing
    if positives.is_empty:
        return (own * losses).sum() / count
    row = positives.edge_index[0]
    weight = own * positives.numerator(row, int(row.max()) + 1)[place]
    if positives.combine in MEANS:
        weight = weight * (own.sum() / weight.sum().clamp(min=1e-12))
    return (weight * losses).sum() / count
