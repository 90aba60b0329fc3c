"""Clustering: how well clusters of an embedding agree with the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import normalize

from homogcl.core.seeds import integer
from homogcl.evaluate.arrays import Array, as_tensor, dense_embedding

Vectors = npt.NDArray[np.floating[Any]]
Reader = Callable[[Vectors, int], Vectors]


def raw_rows(z: Vectors, num_clusters: int) -> Vectors:
    """Return the embedding as it is, [N, d]."""
    return z


def unit_rows(z: Vectors, num_clusters: int) -> Vectors:
    """Return the embedding with rows of length 1; a row of zeros stays, [N, d]."""
    scaled: Vectors = normalize(z)
    return scaled


def spectral_rows(z: Vectors, num_clusters: int) -> Vectors:
    """Return the leading left singular vectors of the unit rows, one per cluster, [N, k].

    k-means on them is spectral clustering of the graph whose edges weigh the cosine of their ends,
    as AGC and SSGC read their embeddings, without an N x N matrix.
    """
    scaled = unit_rows(z, num_clusters).astype(np.float64)
    squares, directions = np.linalg.eigh(scaled.T @ scaled)
    leading = slice(-1, -num_clusters - 1, -1)
    lengths = np.sqrt(np.maximum(squares[leading], squares[-1] * 1e-12))
    vectors: Vectors = scaled @ directions[:, leading] / lengths
    return vectors


def cluster_scores(
    z: Array, y: Array, seed: int, repeats: int = 10, *, reader: Reader = unit_rows
) -> dict[str, float]:
    """Return the agreement of k-means clusters with the classes, over several fits.

    There are as many clusters as `y` has classes. Each fit is the best of ten starts by inertia,
    never by labels, with a random state of its own.

    Args:
        z: embedding [N, d].
        y: classes [N].
        seed: root seed; fit i draws from its stream `cluster-eval/i`.
        repeats: number of fits.
        reader: turns the embedding into the rows that k-means clusters.

    Returns:
        `nmi` (normalized by the arithmetic mean of the entropies) and `ari`, means over the
        fits, with `nmi_std` and `ari_std`, their sample standard deviations (0 for one fit).
    """
    classes = as_tensor(y).cpu().numpy()
    num_clusters = len(np.unique(classes))
    rows = reader(dense_embedding(z).cpu().numpy(), num_clusters)
    scores = np.empty((repeats, 2))
    for i in range(repeats):
        state = integer(seed, f"cluster-eval/{i}")
        clusters = KMeans(num_clusters, n_init=10, random_state=state).fit_predict(rows)
        scores[i] = (
            normalized_mutual_info_score(classes, clusters, average_method="arithmetic"),
            adjusted_rand_score(classes, clusters),
        )
    nmi, ari = scores.mean(axis=0)
    nmi_std, ari_std = scores.std(axis=0, ddof=1) if repeats > 1 else (0.0, 0.0)
    return {
        "nmi": float(nmi),
        "ari": float(ari),
        "nmi_std": float(nmi_std),
        "ari_std": float(ari_std),
    }
