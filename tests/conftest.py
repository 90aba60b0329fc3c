"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import coalesce


@pytest.fixture(scope="session")
def data_root() -> Path:
    """Folder of the real data sets; the test is skipped where there is none."""
    folder = os.environ.get("HOMOGCL_DATA")
    if not folder:
        pytest.skip("needs the real data sets: set HOMOGCL_DATA to their folder")
    root = Path(folder)
    if not root.is_dir():
        pytest.fail(f"HOMOGCL_DATA is {folder}, which is not a folder")
    return root


@pytest.fixture
def block_graph() -> Data:
    """Connected graph of three blocks of 20 nodes: 16 noisy features, labels, masks.

    Each block is a ring with random chords inside; single edges join the blocks, so that
    most but not all edges keep a label. Node order is shuffled, so that no code can profit
    from labels that come in order.
    """
    rng = torch.Generator().manual_seed(7)
    blocks, size, features = 3, 20, 16
    nodes = blocks * size
    y = torch.arange(blocks).repeat_interleave(size)

    ring = torch.arange(size)
    rings = [torch.stack([ring, (ring + 1) % size]) + block * size for block in range(blocks)]
    chords = [torch.randint(size, (2, 30), generator=rng) + block * size for block in range(blocks)]
    across = torch.stack([torch.arange(nodes), (torch.arange(nodes) + size) % nodes])[:, ::5]
    pairs = torch.cat([*rings, *chords, across], dim=1)
    pairs = pairs[:, pairs[0] != pairs[1]]

    order = torch.randperm(nodes, generator=rng)
    pairs, y = order[pairs], y[order.argsort()]
    edge_index = coalesce(torch.cat([pairs, pairs.flip(0)], dim=1), num_nodes=nodes)

    centers = torch.randn(blocks, features, generator=rng)
    x = centers[y] + 0.5 * torch.randn(nodes, features, generator=rng)

    turn = torch.randperm(nodes, generator=rng)
    train_mask, val_mask, test_mask = (torch.zeros(nodes, dtype=torch.bool) for _ in range(3))
    train_mask[turn[:12]] = True
    val_mask[turn[12:24]] = True
    test_mask[turn[24:]] = True
    return Data(
        x=x,
        edge_index=edge_index,
        y=y,
        train_mask=train_mask,
        val_mask=val_mask,
        test_mask=test_mask,
    )
