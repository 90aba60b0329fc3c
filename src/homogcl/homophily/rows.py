"""Saliency of edges from embeddings alone, for methods that have no clusters of their own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids, saliency, soft_assignment

# Unit rows have no scale that a fixed width could fit. A quarter of the mean squared distance to
# the nearest centroid spreads S about as widely as HomoGCL's own width does on its embeddings.
_WIDTH = 0.25


def row_saliency(
    z: npt.NDArray[np.floating], edge_index: npt.NDArray[np.int64], num_clusters: int, seed: int
) -> npt.NDArray[np.float32]:
    """Return S of each edge under k-means clusters of the rows of `z` scaled to length 1, [E].

    Args:
        z: Embeddings, [N, d].
        edge_index: Edges, [2, E], sorted by source.
        num_clusters: k, cut to the number of nodes.
        seed: Root seed, from whose stream "saliency" k-means draws its start.
    """
    unit = functional.normalize(torch.from_numpy(np.asarray(z, dtype=np.float32)))
    c = centroids(unit, min(num_clusters, len(unit)), stream(seed, "saliency"))
    spread = float(torch.cdist(unit, c).min(1).values.square().mean())
    r = soft_assignment(unit, c, max(_WIDTH * spread, 1e-6))
    s: npt.NDArray[np.float32] = saliency(r, torch.from_numpy(edge_index)).numpy()
    return s
