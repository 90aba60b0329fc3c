"""The index: nearly what exact search finds, with exact cosines, and the same when read back."""

from pathlib import Path

import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.evaluate.neighbor_index import NeighborIndex, fingerprint, recall
from homogcl.evaluate.neighbors import nearest_neighbors

pytest.importorskip("faiss")


def clustered(nodes: int, seed: int = 0) -> torch.Tensor:
    """Return vectors around 30 centers, of lengths that differ."""
    rng = torch.Generator().manual_seed(seed)
    centers = torch.randn(30, 24, generator=rng)
    z = centers[torch.randint(30, (nodes,), generator=rng)]
    z = z + 0.4 * torch.randn(nodes, 24, generator=rng)
    return z * (0.1 + torch.rand(nodes, 1, generator=rng))


def test_nearly_all_neighbors_are_found(tmp_path: Path) -> None:
    z = clustered(3000)
    nodes = torch.arange(0, 3000, 30)
    index = NeighborIndex.of(z)
    numbers, cosines = nearest_neighbors(z, 10, nodes, index=index)
    exact, _ = nearest_neighbors(z, 10, nodes)
    assert recall(exact, numbers) > 0.97
    assert not bool((numbers == nodes[:, None]).any())
    expected = torch.cosine_similarity(z[nodes][:, None], z[numbers], dim=2)
    torch.testing.assert_close(cosines, expected)
    assert bool((cosines.diff(dim=1) <= 0).all())
    again = NeighborIndex.load(index.save(tmp_path / "index"))
    torch.testing.assert_close(nearest_neighbors(z, 10, nodes, index=again)[0], numbers)


@pytest.mark.parametrize("nodes", [2, 5])
def test_few_nodes_have_all_others_as_neighbors(nodes: int) -> None:
    z = clustered(nodes)
    numbers, _ = nearest_neighbors(z, 10, index=NeighborIndex.of(z))
    assert [sorted(row) for row in numbers.tolist()] == [
        [other for other in range(nodes) if other != node] for node in range(nodes)
    ]


def test_recall_counts_hits() -> None:
    exact = torch.tensor([[1, 2], [3, 4]])
    assert recall(exact, torch.tensor([[2, 1], [3, 9]])) == 0.75


def test_other_embeddings_have_another_fingerprint() -> None:
    z = clustered(50)
    assert fingerprint(z) == fingerprint(z.clone())
    assert fingerprint(z) != fingerprint(z[:-1])
    assert fingerprint(z) != fingerprint(clustered(50, seed=1))


def test_a_damaged_index_is_named(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(b"no index")
    with pytest.raises(UserError, match="holds no index"):
        NeighborIndex.load(tmp_path / "index")


def test_vectors_that_are_nearly_alike_are_told_apart() -> None:
    rng = torch.Generator().manual_seed(0)
    z = torch.ones(4000, 48) + 0.08 * torch.randn(4000, 48, generator=rng)
    nodes = torch.arange(0, 4000, 40)
    exact, _ = nearest_neighbors(z, 10, nodes)
    approximate, _ = nearest_neighbors(z, 10, nodes, index=NeighborIndex.of(z))
    assert recall(exact, approximate) > 0.97
