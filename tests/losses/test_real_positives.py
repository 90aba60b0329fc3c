from __future__ import annotations

import torch
from torch.nn.functional import normalize

from homogcl.core.nearest import nearest_rows
from homogcl.losses.real_positives import real_positives


def units(rows: int, seed: int) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(rows, 6, generator=rng, dtype=torch.float64))


def test_positives_are_the_nearest_pairs_that_edges_or_clusters_confirm() -> None:
    rng = torch.Generator().manual_seed(0)
    own = torch.arange(30)
    nearest, _ = nearest_rows(units(30, 1), units(30, 2), 6, own=own, own_first=True)
    labels = torch.randint(8, (3, 30), generator=rng)
    edges = torch.randint(30, (2, 80), generator=rng)
    edges = torch.cat([edges, edges.flip(0)], dim=1)
    adjacent = set(map(tuple, edges.t().tolist()))
    expected = []
    for i in range(30):
        for j in sorted(nearest[i].tolist()):
            shared = any(int(run[i]) == int(run[j]) for run in labels)
            if i == j or (i, j) in adjacent or shared:
                expected.append((i, j))
    pairs = real_positives(nearest, labels, edges)
    assert list(zip(pairs.row.tolist(), pairs.col.tolist(), strict=True)) == expected
    assert len(expected) < 30 * 6
