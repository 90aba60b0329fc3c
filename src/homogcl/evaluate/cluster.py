"""Clustering: how well k-means on an embedding finds the classes."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import normalize

from homogcl.core.seeds import integer
from homogcl.evaluate.arrays import Array, as_tensor, dense_embedding


def cluster_scores(
    z: Array, y: Array, seed: int, repeats: int = 10, *, scaled: bool = True
) -> dict[str, float]:
    """Return the agreement of k-means clusters with the classes, over several fits.

    The rows of `z` are clustered into as many clusters as `y` has classes, each fit with a random
    state of its own.

    Args:
        z: embedding [N, d].
        y: classes [N].
        seed: root seed; fit i draws from its stream `cluster-eval/i`.
        repeats: number of fits.
        scaled: whether rows are scaled to length 1 before; a row of zeros stays.

    Returns:
        `nmi` (normalized by the arithmetic mean of the entropies) and `ari`, means over the
        fits, with `nmi_std` and `ari_std`, their sample standard deviations (0 for one fit).
    """
    rows = dense_embedding(z).cpu().numpy()
    rows = normalize(rows) if scaled else rows
    classes = as_tensor(y).cpu().numpy()
    num_clusters = len(np.unique(classes))
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
