"""Which nodes lie nearest to which in an embedding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from homogcl.objectives.nearest import nearest_rows


def nearest(
    z: npt.NDArray[np.floating], k: int, block: int = 256
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return each node's k nearest others by cosine and those cosines, [N, k], nearest first.

    Args:
        z: Embeddings, [N, d]; a row of zeros has cosine 0 with every other.
        k: How many; N - 1 where there are no more others.
        block: Rows of cosines held at a time.
    """
    unit = functional.normalize(torch.from_numpy(np.asarray(z, dtype=np.float32)))
    others = nearest_rows(unit, unit, min(k + 1, len(unit)), block)[:, 1:]
    blocks = [slice(start, start + block) for start in range(0, len(unit), block)]
    cosines = torch.cat(
        [torch.einsum("id,ikd->ik", unit[rows], unit[others[rows]]) for rows in blocks]
    )
    return others.numpy(), cosines.clamp(-1.0, 1.0).numpy()
