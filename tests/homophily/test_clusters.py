from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids, plus_plus, spread
from homogcl.homophily.saliency import soft_assignment


def points(seed: int, nodes: int = 40, offset: float = 0.0) -> Tensor:
    """Three loose clusters of points in five dimensions, [N, 5], around `offset`."""
    rng = torch.Generator().manual_seed(seed)
    means = 2 * torch.randn(3, 5, generator=rng, dtype=torch.float64)
    noise = torch.randn(nodes, 5, generator=rng, dtype=torch.float64)
    return offset + means[torch.arange(nodes) % 3] + noise


def inertia(h: Tensor, c: Tensor) -> float:
    return float(torch.cdist(h, c).amin(1).square().sum())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("max_iterations", [1, 3, 50])
def test_centroids_are_scikit_learns_from_the_same_start(seed: int, max_iterations: int) -> None:
    h = points(seed)
    start = plus_plus(h, 4, stream(seed, "cluster"))
    oracle = KMeans(4, init=start.numpy(), n_init=1, max_iter=max_iterations, tol=0)
    expected = oracle.fit(h.numpy()).cluster_centers_
    ours = centroids(h, 4, stream(seed, "cluster"), max_iterations=max_iterations)
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-10)


def test_centroids_are_the_means_of_their_clusters() -> None:
    h = points(0)
    c = centroids(h, 3, stream(0, "cluster"), max_iterations=100)
    nearest = torch.cdist(h, c).argmin(1)
    means = torch.stack([h[nearest == j].mean(0) for j in range(3)])
    torch.testing.assert_close(c, means)


def test_warm_start_goes_on_from_the_given_centroids() -> None:
    h = points(1)
    cold = centroids(h, 4, stream(0, "cluster"), max_iterations=3)
    on = centroids(h, 4, stream(1, "cluster"), start=cold, max_iterations=3)
    through = centroids(h, 4, stream(0, "cluster"), max_iterations=6)
    torch.testing.assert_close(on, through, rtol=0, atol=1e-12)
    assert inertia(h, on) <= inertia(h, cold)


def test_warm_start_at_the_end_stays_there_and_is_not_changed() -> None:
    h = points(1)
    end = centroids(h, 4, stream(0, "cluster"), max_iterations=100)
    before = end.clone()
    torch.testing.assert_close(centroids(h, 4, stream(1, "cluster"), start=end), end)
    assert torch.equal(end, before)


def test_cluster_that_loses_all_its_nodes_stays_where_it_was() -> None:
    h = torch.tensor([[0.0], [1.0], [10.0]])
    start = torch.tensor([[0.0], [10.0], [1000.0]])
    c = centroids(h, 3, stream(0, "cluster"), start=start)
    assert c.flatten().tolist() == [0.5, 10.0, 1000.0]


def test_more_clusters_than_nodes_are_refused() -> None:
    with pytest.raises(UserError, match="num_clusters=5 is more than the 4 nodes"):
        centroids(torch.randn(4, 2), 5, stream(0, "cluster"))


def test_as_many_clusters_as_nodes_find_each_node() -> None:
    h = points(2, nodes=6)
    c = centroids(h, 6, stream(0, "cluster"))
    assert inertia(h, c) == pytest.approx(0, abs=1e-20)


def test_rows_that_are_all_equal_give_that_row() -> None:
    h = torch.full((10, 3), 2.5)
    c = centroids(h, 4, stream(0, "cluster"))
    assert torch.equal(c, h[:4])
    r = soft_assignment(h, c, 1e-3)
    assert torch.equal(r, torch.full((10, 4), 0.25))


def test_centroids_carry_no_gradient() -> None:
    h = points(0).requires_grad_()
    assert not centroids(h, 3, stream(0, "cluster")).requires_grad


def test_start_takes_far_rows_and_never_one_twice() -> None:
    # Four spots far apart, ten rows on each: squared distances leave no choice but a new spot.
    spots = 1e6 * torch.eye(4, dtype=torch.float64)
    h = spots.repeat(10, 1)
    for seed in range(20):
        chosen = plus_plus(h, 4, stream(seed, "cluster"))
        assert torch.unique(chosen, dim=0).size(0) == 4


def test_start_draws_rows_by_their_squared_distance() -> None:
    h = torch.tensor([[0.0], [1.0], [3.0]])
    counts = {1.0: 0, 3.0: 0}
    rng = stream(0, "cluster")
    for _ in range(6000):
        first, second = plus_plus(h, 2, rng).flatten().tolist()
        if first == 0.0:
            counts[second] += 1
    # From row 0 the odds of the two others are 1 to 9.
    total = sum(counts.values())
    assert abs(counts[3.0] / total - 0.9) < 6 * (0.9 * 0.1 / total) ** 0.5


def test_spread_is_the_mean_squared_distance_to_the_nearest_centroid() -> None:
    h = points(3)
    c = centroids(h, 4, stream(0, "cluster"))
    nearest = [min(float((row - center).square().sum()) for center in c) for row in h]
    assert float(spread(h, c)) == pytest.approx(sum(nearest) / len(nearest))
    assert 0 < float(spread(c, c)) <= 1e-12
