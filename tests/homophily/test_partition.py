"""Clusters of nodes: as many as a generated graph has classes, without a look at labels."""

from __future__ import annotations

import pytest
import torch
from sklearn.metrics import adjusted_rand_score
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily import partition as module
from homogcl.homophily.partition import partition
from homogcl.homophily.selection import modularity


def blocks(count: int, size: int = 40, inside: float = 0.9) -> tuple[Tensor, Tensor, Tensor]:
    """Vectors around `count` axes, edges that mostly stay inside a block, and the blocks."""
    rng = torch.Generator().manual_seed(count)
    block = torch.arange(count).repeat_interleave(size)
    z = torch.eye(count)[block] + 0.1 * torch.randn(count * size, count, generator=rng)
    source = torch.arange(count * size).repeat_interleave(6)
    near = block[source] * size + torch.randint(size, source.shape, generator=rng)
    far = torch.randint(count * size, source.shape, generator=rng)
    stays = torch.rand(source.shape, generator=rng) < inside
    target = torch.where(stays, near, far)
    edges = torch.stack([torch.cat([source, target]), torch.cat([target, source])])
    return z, edges, block


@pytest.mark.parametrize("count", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("inside", [0.6, 0.9])
def test_the_number_of_clusters_is_that_of_the_blocks(count: int, inside: float) -> None:
    z, edges, block = blocks(count, inside=inside)
    nodes = partition(z, edges, stream(0, "test"))
    assert nodes.count == count
    assert adjusted_rand_score(block, nodes.cluster) > 0.95
    assert nodes.modularity == modularity(nodes.cluster, edges, count)


def test_a_given_number_is_taken_and_the_largest_cluster_is_the_first() -> None:
    z, edges, _ = blocks(5)
    nodes = partition(z[:190], edges[:, (edges < 190).all(0)], stream(0, "test"), 4)
    sizes = torch.bincount(nodes.cluster).tolist()
    assert len(sizes) == nodes.count == 4
    assert sizes == sorted(sizes, reverse=True)


def test_scale_does_not_matter_and_the_seed_repeats() -> None:
    z, edges, _ = blocks(3)
    scaled = z * torch.rand(len(z), 1, generator=stream(0, "scale")).add(0.5)
    once, again = (partition(each, edges, stream(1, "test")) for each in (z, scaled))
    assert torch.equal(once.cluster, again.cluster)


def test_centroids_of_large_graphs_come_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    z, edges, block = blocks(4)
    monkeypatch.setattr(module, "SAMPLE", 60)
    nodes = partition(z, edges, stream(0, "test"))
    assert nodes.cluster.shape == block.shape
    assert adjusted_rand_score(block, nodes.cluster) > 0.95


def test_equal_rows_are_one_cluster() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    assert partition(torch.ones(4, 2), edges, stream(0, "test"), 3).count == 1


def test_what_cannot_be_is_refused() -> None:
    z, edges, _ = blocks(2)
    with pytest.raises(UserError, match="81 clusters of 80 nodes"):
        partition(z, edges, stream(0, "test"), 81)
    with pytest.raises(UserError, match=r"without edges .* give -k"):
        partition(z, edges[:, :0], stream(0, "test"))
