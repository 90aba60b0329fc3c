"""Propagation against a loop, its invariances, and its memory on a graph that stays on disk."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.edges import undirected
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.methods import slabs
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.runs.embedder import Embedder
from tests.graphs import permuted, with_isolated
from tests.shell import Shell


def propagated(graph: Data, powers: tuple[int, ...] = (0, 1, 2), weight: float = 1.0) -> Tensor:
    settings: dict[str, object] = {"powers": powers, "feature_weight": weight}
    return embeddings(build("propagation", settings, Sizes.of(graph), seed=0), graph)


def by_loops(graph: Data, powers: tuple[int, ...], weight: float) -> Tensor:
    """The blocks in float64, entry by entry."""
    x = graph.x.to_dense().double().tolist()
    nodes, width = len(x), len(x[0])
    adjacency = [[float(i == j) for j in range(nodes)] for i in range(nodes)]
    values = [1.0] * graph.num_edges if graph.edge_weight is None else graph.edge_weight.tolist()
    for (source, target), value in zip(graph.edge_index.t().tolist(), values, strict=True):
        adjacency[target][source] += value
    degree = [sum(row) for row in adjacency]
    result: list[list[float]] = [[] for _ in range(nodes)]
    for power in range(powers[-1] + 1):
        if power:
            x = [
                [
                    sum(
                        adjacency[i][j] / math.sqrt(degree[i] * degree[j]) * x[j][c]
                        for j in range(nodes)
                    )
                    for c in range(width)
                ]
                for i in range(nodes)
            ]
        if power in powers:
            for i, row in enumerate(x):
                length = math.sqrt(sum(value * value for value in row)) or 1.0
                result[i] += [(weight if power == 0 else 1.0) * value / length for value in row]
    return torch.tensor(result, dtype=torch.float64)


@pytest.mark.parametrize("powers", [(0, 1, 2), (2,), (1, 3), (0,)])
@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_are_those_of_the_loops(
    powers: tuple[int, ...], sparse: bool, block_graph: Data
) -> None:
    graph = with_isolated(block_graph, 2)
    graph.edge_weight = 0.5 + (graph.edge_index.sum(0) % 7).float()
    graph.x = graph.x.relu()
    graph.x[3] = 0.0
    if sparse:
        graph.x = graph.x.to_sparse_csr()
    z = propagated(graph, powers, 0.3)
    expected = by_loops(graph, powers, 0.3)
    torch.testing.assert_close(z.double(), expected, rtol=1e-5, atol=1e-6)
    if 0 in powers:
        assert not z[3, : graph.num_features].any()


@given(st.integers(0, 10_000), st.floats(1e-3, 1e3))
def test_neither_numbers_of_nodes_nor_the_scale_of_features_count(seed: int, scale: float) -> None:
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(12, (2, 20), generator=rng)
    edges, _ = undirected(pairs, 12)
    graph = Data(x=torch.randn(12, 5, generator=rng), edge_index=edges)
    z = propagated(graph)
    order = torch.randperm(12, generator=rng)
    assert torch.allclose(propagated(permuted(graph, order)), z[order], rtol=1e-4, atol=1e-5)
    graph.x = graph.x * scale
    assert torch.allclose(propagated(graph), z, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_slabs_and_a_graph_on_disk_change_nothing(
    sparse: bool, block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block_graph.x = block_graph.x.relu()
    if sparse:
        block_graph.x = block_graph.x.to_sparse_csr()
    z = propagated(block_graph)
    opened = open_mapped(write_mapped(block_graph, tmp_path / "graph"))
    assert torch.equal(propagated(opened), z)
    monkeypatch.setattr(slabs, "SLAB", 130)  # two columns of 60 rows
    monkeypatch.setattr(slabs, "_NARROWEST", 1)
    torch.testing.assert_close(propagated(opened), z, rtol=1e-6, atol=1e-7)


MEASURE = """
import sys
from pathlib import Path
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.data.mapped import open_mapped
from homogcl.methods import slabs
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.testing.graphs import block_graph

slabs.SLAB = 2**20
small, graph = block_graph(), open_mapped(Path(sys.argv[1]))
embeddings(build("propagation", {"powers": (1,)}, Sizes.of(small), 0), small)  # loads the code
before = reset_peak()
z = embeddings(build("propagation", {"powers": (1,)}, Sizes.of(graph), 0), graph)
print(peak_bytes() - before, z.nbytes)
"""


def test_memory_is_that_of_the_result(tmp_path: Path) -> None:
    nodes = 20_000
    ring = torch.arange(nodes)
    around = torch.stack([ring - 1, ring + 1], 1).flatten() % nodes
    edges = torch.stack([ring.repeat_interleave(2), around])
    folder = write_mapped(Data(x=torch.ones(nodes, 1500), edge_index=edges), tmp_path / "graph")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, folder], check=True, capture_output=True, text=True
    )
    taken, result = map(int, done.stdout.split())
    assert result == 4 * nodes * 1500
    # The file of features is as large as the result, and most of it is never in memory.
    assert 0.9 * result < taken < 1.5 * result


def test_nodes_that_nobody_saw_are_embedded(block_graph: Data) -> None:
    embedder = Embedder("propagation", powers=[0, 1], feature_weight=0.5, features="raw")
    embedder.fit(block_graph)
    other = with_isolated(permuted(block_graph, torch.arange(59, -1, -1)), 2)
    expected = by_loops(other, (0, 1), 0.5)
    np.testing.assert_allclose(embedder.transform(other), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("powers", ["[]", "[2, 1]", "[1, 1]", "[-1]", "[0.5]", "two"])
def test_powers_that_are_none_are_refused(powers: str, homogcl: Shell) -> None:
    said = homogcl.refuses("train", "propagation", "demo", "--set", f"powers={powers}")
    assert "setting powers" in said


def test_a_weight_of_nothing_is_refused(block_graph: Data) -> None:
    with pytest.raises(UserError, match="feature_weight=0"):
        build("propagation", {"feature_weight": 0}, Sizes.of(block_graph), seed=0)
