"""When to stop without labels: once the embeddings use no other number of directions than before.

On Cora training first raises accuracy and, long after, lowers it again. The effective rank of the
embeddings' directions moves in the first phase and stands nearly still in the second. On CiteSeer
it settles later than accuracy does (docs/homophily-study.md).
"""

from __future__ import annotations

from collections.abc import Sequence

LOOK_EVERY = 10  # epochs


def has_settled(ranks: Sequence[float], share: float) -> bool:
    """Return whether the last of the ranks seen differs from the one before by less than a share.

    >>> has_settled([180.0, 160.0], 0.01), has_settled([180.0, 160.0, 159.0], 0.01)
    (False, True)
    """
    return len(ranks) > 1 and abs(ranks[-1] - ranks[-2]) < share * ranks[-2]
