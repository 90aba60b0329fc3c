"""Saliency of edges from embeddings alone."""

import numpy as np
import pytest

from homogcl.homophily.rows import row_saliency


def two_groups(scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Two far groups of five nodes, all pairs joined inside them, and one edge between them."""
    rng = np.random.default_rng(0)
    z = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 5, axis=0) + 0.05 * rng.normal(size=(10, 3))
    inside = [(i, j) for i in range(10) for j in range(10) if i != j and i // 5 == j // 5]
    edges = sorted([*inside, (4, 5), (5, 4)])
    return scale * z, np.array(edges).T


def test_edge_between_groups_is_the_least_salient() -> None:
    z, edges = two_groups()
    s = row_saliency(z, edges, num_clusters=2, seed=0)
    across = edges[0] // 5 != edges[1] // 5
    assert s[across].max() < 0.1
    assert s[~across].min() > 0.9


def test_scale_of_the_embedding_does_not_matter() -> None:
    z, edges = two_groups()
    far, _ = two_groups(1000.0)
    assert row_saliency(far, edges, 2, 0) == pytest.approx(row_saliency(z, edges, 2, 0), abs=1e-4)


@pytest.mark.parametrize("clusters", [1, 50])
def test_one_cluster_or_too_many_still_give_saliency(clusters: int) -> None:
    z, edges = two_groups()
    s = row_saliency(z, edges, clusters, 0)
    assert np.isfinite(s).all()
    assert ((s >= 0) & (s <= 1)).all()


def test_equal_rows_are_surely_alike() -> None:
    _, edges = two_groups()
    assert row_saliency(np.ones((10, 3)), edges, 2, 0) == pytest.approx(1.0)
