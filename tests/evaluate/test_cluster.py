from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import numpy.typing as npt
import pytest
import torch
from sklearn.cluster import KMeans

from homogcl.core.errors import UserError
from homogcl.core.seeds import integer
from homogcl.evaluate.cluster import cluster_scores, raw_rows, spectral_rows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def blobs(noise: float, nodes: int = 60) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(3)
    y = np.arange(nodes) % 3
    return np.eye(3, 6)[y] + noise * rng.standard_normal((nodes, 6)), y


def slow_nmi(a: Ints, b: Ints) -> float:
    """2 I(a; b) / (H(a) + H(b)) from counts."""
    n = len(a)
    joint, left, right = Counter(zip(a, b, strict=True)), Counter(a), Counter(b)
    information = sum(c / n * log(c * n / (left[i] * right[j])) for (i, j), c in joint.items())
    entropies = -sum(c / n * log(c / n) for counts in (left, right) for c in counts.values())
    return 2 * information / entropies


def slow_ari(a: Ints, b: Ints) -> float:
    """(RI - E[RI]) / (max RI - E[RI]) over all pairs, in pairs that both sides put together."""
    pairs = list(combinations(range(len(a)), 2))
    both = sum(a[i] == a[j] and b[i] == b[j] for i, j in pairs)
    left, right = sum(a[i] == a[j] for i, j in pairs), sum(b[i] == b[j] for i, j in pairs)
    expected = left * right / len(pairs)
    return float((both - expected) / ((left + right) / 2 - expected))


def test_scores_are_mean_and_spread_of_slow_ones_over_the_fits() -> None:
    z, y = blobs(noise=0.6)
    rows = z / np.linalg.norm(z, axis=1, keepdims=True)
    nmis, aris = [], []
    for i in range(4):
        state = integer(5, f"cluster-eval/{i}")
        clusters = KMeans(3, n_init=10, random_state=state).fit(rows).labels_
        nmis.append(slow_nmi(y, clusters))
        aris.append(slow_ari(y, clusters))
    assert 0.1 < np.mean(aris) < 0.9
    assert cluster_scores(z, y, seed=5, repeats=4) == pytest.approx(
        {
            "nmi": np.mean(nmis),
            "ari": np.mean(aris),
            "nmi_std": np.std(nmis, ddof=1),
            "ari_std": np.std(aris, ddof=1),
        }
    )


def test_clear_classes_are_found_whatever_they_are_called() -> None:
    z, y = blobs(noise=0.01)
    perfect = {"nmi": 1.0, "ari": 1.0, "nmi_std": 0.0, "ari_std": 0.0}
    assert cluster_scores(z, y, seed=0, repeats=2) == pytest.approx(perfect)
    names = np.array([40, -7, 3])
    assert cluster_scores(z, names[y], seed=0, repeats=2) == pytest.approx(perfect)


def test_length_of_rows_does_not_matter() -> None:
    z, y = blobs(noise=0.01)
    lengths = 10 ** np.random.default_rng(0).uniform(-3, 3, size=(len(z), 1))
    assert cluster_scores(z * lengths, y, seed=0, repeats=1)["ari"] == pytest.approx(1.0)
    assert cluster_scores(z * lengths, y, seed=0, repeats=1, reader=raw_rows)["ari"] < 0.5
    assert cluster_scores(z, y, seed=0, repeats=1, reader=raw_rows)["ari"] == pytest.approx(1.0)


def test_spectral_rows_are_leading_singular_vectors_of_unit_rows() -> None:
    z, y = blobs(noise=0.6)
    rows = z / np.linalg.norm(z, axis=1, keepdims=True)
    expected = np.linalg.svd(rows, full_matrices=False)[0][:, :3]
    np.testing.assert_allclose(np.abs(spectral_rows(z, 3)), np.abs(expected), atol=1e-10)
    clear = blobs(noise=0.01)[0]
    scores = cluster_scores(clear, y, seed=0, repeats=1, reader=spectral_rows)
    assert scores["ari"] == pytest.approx(1.0)


def test_spectral_rows_have_as_many_columns_as_the_embedding_has_at_most() -> None:
    z, _ = blobs(noise=0.6)
    assert spectral_rows(z[:, :2], 3).shape == (60, 2)
    flat = np.ones((60, 4))
    assert np.isfinite(spectral_rows(flat, 3)).all()


def test_rows_of_zeros_and_sparse_embeddings_are_clustered() -> None:
    z, y = blobs(noise=0.01)
    z[y == 2] = 0
    sparse = torch.from_numpy(z).to_sparse_csr()
    scores = cluster_scores(sparse, torch.from_numpy(y), seed=0, repeats=1)
    assert scores == pytest.approx({"nmi": 1.0, "ari": 1.0, "nmi_std": 0.0, "ari_std": 0.0})


def test_the_seed_decides_the_fits() -> None:
    rng = np.random.default_rng(0)
    z, y = rng.standard_normal((200, 8)), rng.integers(6, size=200)
    first = cluster_scores(z, y, seed=0, repeats=2)
    assert first == cluster_scores(z, y, seed=0, repeats=2)
    assert first != cluster_scores(z, y, seed=1, repeats=2)
    assert first["ari_std"] > 0


def test_an_embedding_that_is_not_finite_is_refused_by_node() -> None:
    z, y = blobs(noise=0.01)
    z[3, 0] = np.inf
    with pytest.raises(UserError, match="node 3 "):
        cluster_scores(z, y, seed=0)
