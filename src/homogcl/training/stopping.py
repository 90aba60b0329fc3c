"""When to stop without labels: once the effective rank of the embeddings hardly changes.

On Cora, training first raises accuracy and, much later, lowers it again. The effective rank of
the embeddings' directions changes in the first phase and hardly in the second. On CiteSeer it
settles later than accuracy does (docs/homophily-study.md).
"""

from __future__ import annotations

from collections.abc import Sequence

CHECK_EVERY = 10  # epochs


def has_settled(effective_ranks: Sequence[float], share: float) -> bool:
    """Return whether the last rank differs from the one before by less than this share of it.

    >>> has_settled([180.0, 160.0], 0.01), has_settled([180.0, 160.0, 159.0], 0.01)
    (False, True)
    """
    return (
        len(effective_ranks) > 1
        and abs(effective_ranks[-1] - effective_ranks[-2]) < share * effective_ranks[-2]
    )
