"""When to stop without labels: once the embeddings use no other number of directions than before.

On Cora training first raises accuracy and, long after, lowers it again. The effective rank of the
embeddings moves in the first phase and stands nearly still in the second (results/study); other
graphs have not been looked at yet.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional

from homogcl.communities import effective_rank

LOOK_EVERY = 10  # epochs


def rank_of_directions(z: Tensor) -> float:
    """Return the effective rank of the rows' directions, [N, d]."""
    return effective_rank(functional.normalize(z.detach()))


def has_settled(ranks: Sequence[float], share: float) -> bool:
    """Return whether the last of the ranks seen differs from the one before by less than a share.

    >>> has_settled([180.0, 160.0], 0.01), has_settled([180.0, 160.0, 159.0], 0.01)
    (False, True)
    """
    return len(ranks) > 1 and abs(ranks[-1] - ranks[-2]) < share * ranks[-2]
