"""Clusters over batches are those of a loop by hand, and come near those of all rows."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from homogcl.core.distributed import Ranks
from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids, plus_plus, spread
from homogcl.homophily.running_clusters import REMEMBERED, RunningClusters
from tests.processes import run_ranks


def points(nodes: int, seed: int = 0) -> Tensor:
    """Four clusters of points in five dimensions, [N, 5]."""
    rng = torch.Generator().manual_seed(seed)
    means = 6 * torch.randn(4, 5, generator=rng, dtype=torch.float64)
    noise = torch.randn(nodes, 5, generator=rng, dtype=torch.float64)
    return means[torch.arange(nodes) % 4] + noise


def batches_of(h: Tensor, size: int, epochs: int) -> list[Tensor]:
    rng = torch.Generator().manual_seed(1)
    orders = [torch.randperm(len(h), generator=rng) for _ in range(epochs)]
    return [h[part] for order in orders for part in torch.split(order, size)]


def by_loop(start: Tensor, batches: list[Tensor], whole: int) -> tuple[list[list[float]], float]:
    """The centroids after the batches and the mean squared distance, row by row."""
    c = [list(map(float, row)) for row in start]
    k, sizes, far, weight = len(c), [0.0] * len(c), 0.0, 0.0
    for batch in batches:
        rows = [list(map(float, row)) for row in batch]
        memory = max(0.0, 1 - max(len(rows) / whole, 1 / 20))
        nearest = [min(range(k), key=lambda j: squared(row, c[j])) for row in rows]
        for j in range(k):
            own = [row for row, place in zip(rows, nearest, strict=True) if place == j]
            before, sizes[j] = memory * sizes[j], memory * sizes[j] + len(own)
            if own:
                # The mean of all rows so far, each by its weight.
                c[j] = [
                    (before * old + sum(row[axis] for row in own)) / sizes[j]
                    for axis, old in enumerate(c[j])
                ]
        far = memory * far + sum(min(squared(row, mean) for mean in c) for row in rows)
        weight = memory * weight + len(rows)
    return c, far / weight


def squared(a: list[float], b: list[float]) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(("size", "whole"), [(7, 60), (2, 60), (60, 60), (40, 30)])
def test_steps_are_those_of_a_loop_by_hand(size: int, whole: int) -> None:
    assert REMEMBERED == 20
    h = points(60)
    start = plus_plus(h, 5, stream(0, "cluster"))
    batches = batches_of(h, size, epochs=3)
    clusters = RunningClusters.begin(start)
    for batch in batches:
        clusters = clusters.after(batch, whole)
    expected, distance = by_loop(start, batches, whole)
    torch.testing.assert_close(clusters.centroids, torch.tensor(expected, dtype=torch.float64))
    assert float(clusters.spread) == pytest.approx(distance)


def test_a_batch_of_all_rows_is_a_step_of_lloyd() -> None:
    h = points(50)
    start = plus_plus(h, 4, stream(3, "cluster"))
    clusters = RunningClusters.begin(start).after(h, 50)
    lloyd = centroids(h, 4, stream(3, "cluster"), start, max_iterations=1)
    torch.testing.assert_close(clusters.centroids, lloyd)
    assert float(clusters.spread) == pytest.approx(float(spread(h, lloyd)))


@pytest.mark.parametrize("seed", range(3))
def test_small_batches_come_near_the_clusters_of_all_rows(seed: int) -> None:
    h = points(2000, seed)
    whole = centroids(h, 4, stream(seed, "cluster"), max_iterations=100)
    clusters = RunningClusters.begin(centroids(h[:100], 4, stream(seed, "cluster")))
    for batch in batches_of(h, 50, epochs=3):
        clusters = clusters.after(batch, len(h))
    # Means of about 40 batches' rows, a quarter of them each: 0.05 is the error of such a mean.
    gap = torch.cdist(whole, clusters.centroids).amin(1) / 5**0.5
    alone = torch.cdist(whole, centroids(h[:50], 4, stream(seed, "cluster"))).amin(1) / 5**0.5
    assert float(gap.max()) < 4 * 0.05
    assert float(gap.mean()) < float(alone.mean())
    assert float(clusters.spread) == pytest.approx(float(spread(h, whole)), rel=0.05)


def test_older_rows_are_forgotten() -> None:
    h = points(20)
    clusters = RunningClusters.begin(centroids(h, 4, stream(0, "cluster")))
    for _ in range(100):
        clusters = clusters.after(h, 400)
    away = clusters
    for _ in range(20):
        away = away.after(h + 0.5, 400)
    # All weigh 20 (1 + m + m² + ...) with m = 0.95, the former rows m²⁰ of it.
    shift = away.centroids - clusters.centroids
    expected = 0.5 * (1 - 0.95**20) / (1 - 0.95**120)
    torch.testing.assert_close(shift, torch.full_like(shift, expected))
    assert float(away.sizes.sum()) == pytest.approx(20 * (1 - 0.95**120) / 0.05)


def test_a_cluster_without_rows_stays() -> None:
    start = torch.tensor([[0.0], [100.0]])
    clusters = RunningClusters.begin(start)
    for _ in range(3):
        clusters = clusters.after(torch.tensor([[1.0], [3.0]]), 10)
    assert clusters.centroids.flatten().tolist() == [2.0, 100.0]
    assert float(clusters.sizes[1]) == 0.0


def test_no_gradient_flows_into_them() -> None:
    h = points(20).requires_grad_()
    clusters = RunningClusters.begin(h.detach()[:3]).after(h, 40)
    assert not clusters.centroids.requires_grad
    assert not clusters.spread.requires_grad


def test_one_tensor_holds_everything() -> None:
    clusters = RunningClusters.begin(points(4)).after(points(30), 60)
    packed = clusters.packed()
    assert packed.shape == (1, 4, 7)
    again = RunningClusters.unpacked(packed)
    for name in ("centroids", "sizes", "distance"):
        assert torch.equal(getattr(again, name), getattr(clusters, name))


def test_processes_have_the_clusters_of_all_their_rows(tmp_path: Path) -> None:
    h, start = points(60), points(4, seed=5)
    batches = batches_of(h, 12, epochs=2)

    def work(ranks: Ranks) -> Tensor:
        clusters = RunningClusters.begin(start)
        for batch in batches:
            # Shares of unequal size, of which one may be empty of a cluster.
            share = batch[:5] if ranks.is_first else batch[5:]
            clusters = clusters.after(share, 60, ranks)
        return clusters.packed()

    first, second = run_ranks(2, work, tmp_path)
    assert torch.equal(first, second)
    alone = RunningClusters.begin(start)
    for batch in batches:
        alone = alone.after(batch, 60)
    torch.testing.assert_close(first, alone.packed())
