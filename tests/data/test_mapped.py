from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.mapped import FORMAT, INDEX, is_mapped, open_mapped, release, write_mapped
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.training.loop import TrainConfig, fit
from homogcl.views.subgraphs import BatchConfig, Batches
from tests.graphs import same, snapshot


@pytest.mark.parametrize("sparse", [False, True])
def test_graph_comes_back_as_it_was(block_graph: Data, sparse: bool, tmp_path: Path) -> None:
    block_graph.edge_weight = torch.rand(block_graph.num_edges)
    if sparse:
        block_graph.x = block_graph.x.relu().to_sparse_csr()
    folder = write_mapped(block_graph, tmp_path / "graph")
    assert is_mapped(folder)
    opened = open_mapped(folder)
    release(opened)
    tensors = snapshot(opened)
    counts = torch.bincount(block_graph.edge_index[0], minlength=60)
    assert tensors.pop("crow").tolist() == [0, *counts.cumsum(0).tolist()]
    assert same(tensors, snapshot(block_graph))
    assert opened.num_nodes == 60


def test_training_on_a_mapped_graph_is_training_on_the_graph(
    block_graph: Data, tmp_path: Path
) -> None:
    opened = open_mapped(write_mapped(block_graph, tmp_path / "graph"))
    config = TrainConfig(epochs=2, batch="neighbors", batch_size=20)
    results = []
    for graph in (block_graph, opened):
        method = build("grace+homogcl", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(graph), seed=0)
        fit(method, graph, config, seed=0)
        results.append(method.state_dict())
    assert same(*results)
    z, blocked = embeddings(method, block_graph), embeddings(method, opened, block=7)
    torch.testing.assert_close(blocked, z, rtol=1e-6, atol=1e-6)


def test_writing_to_the_tensors_leaves_the_files_alone(block_graph: Data, tmp_path: Path) -> None:
    folder = write_mapped(block_graph, tmp_path / "graph")
    before = (folder / "x.npy").read_bytes()
    open_mapped(folder).x.zero_()
    assert (folder / "x.npy").read_bytes() == before


def test_graph_without_edges_is_mapped(tmp_path: Path) -> None:
    graph = Data(x=torch.rand(5, 2), edge_index=torch.empty(2, 0, dtype=torch.long))
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    assert opened.edge_index.shape == (2, 0)
    parts = Batches(opened, BatchConfig(batch="parts", batch_size=2)).epoch(stream(0, "batch"))
    assert sum(int(part.num_nodes or 0) for part in parts) == 5


def test_what_is_no_mapped_graph_is_refused(block_graph: Data, tmp_path: Path) -> None:
    assert not is_mapped(tmp_path)
    with pytest.raises(UserError, match=f"{INDEX} is missing"):
        open_mapped(tmp_path)
    folder = write_mapped(block_graph, tmp_path / "graph")
    with pytest.raises(UserError, match="holds a graph already"):
        write_mapped(block_graph, folder)
    (folder / "x.npy").write_bytes(b"nothing of use")
    with pytest.raises(UserError, match=r"x.npy cannot be mapped"):
        open_mapped(folder)
    index = json.loads((folder / INDEX).read_text())
    (folder / INDEX).write_text(json.dumps({**index, "format": 99}))
    with pytest.raises(UserError, match="has the format 99"):
        open_mapped(folder)
    unsorted = Data(x=torch.rand(3, 1), edge_index=torch.tensor([[2, 0], [0, 2]]))
    with pytest.raises(UserError, match="sorted by source"):
        write_mapped(unsorted, tmp_path / "other")


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("edge_index", lambda a: a + 1, "outside 0 to 59"),
        ("edge_index", lambda a: a[:, 1:], "not of one graph"),
        ("edge_index", lambda a: a[0], "has the shape"),
        ("edge_index", lambda a: a.astype(np.float32), "holds float32"),
        ("crow", lambda a: a[::-1].copy(), "row pointers"),
        ("x_crow", lambda a: a + 1, "row pointers"),
        ("x_col", lambda a: a - 1, "outside 0 to"),
        ("x_value", lambda a: a[1:], "not of one graph"),
        ("y", lambda a: a[1:], "has the shape"),
    ],
)
def test_arrays_that_lead_outside_the_graph_are_refused(
    name: str, change: Callable[[Any], Any], said: str, block_graph: Data, tmp_path: Path
) -> None:
    block_graph.x = block_graph.x.relu().to_sparse_csr()
    folder = write_mapped(block_graph, tmp_path / "graph")
    path = folder / f"{name}.npy"
    np.save(path, change(np.load(path)))
    with pytest.raises(UserError, match=said):
        open_mapped(folder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "invalid JSON"),
        ('{"format": 2}', "nodes: field required"),
        ('{"arrays": ["../x"]}', "arrays: value error, these are not the arrays"),
    ],
)
def test_an_index_that_is_none_is_one_line(
    text: str, said: str, block_graph: Data, tmp_path: Path
) -> None:
    folder = write_mapped(block_graph, tmp_path / "graph")
    index = json.loads((folder / INDEX).read_text())
    changed = {**index, **json.loads(text)} if "arrays" in text else None
    (folder / INDEX).write_text(text if changed is None else json.dumps(changed))
    with pytest.raises(UserError, match=said) as error:
        open_mapped(folder)
    assert len(str(error.value).splitlines()) == 1


WORK = """
import sys
from pathlib import Path
import torch
from homogcl.views.subgraphs import BatchConfig, Batches
from homogcl.data.mapped import open_mapped
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.seeds import stream

graph = open_mapped(Path(sys.argv[1]))
batches = Batches(graph, BatchConfig(batch="neighbors", batch_size=200, fanout=(3,)))
next(batches.epoch(stream(1, "batch")))  # so that the code itself is in memory
before = reset_peak()
total = sum(float(part.x.sum()) for part in batches.epoch(stream(0, "batch")))
print(peak_bytes() - before)
"""


def test_an_epoch_of_batches_needs_little_of_the_files_in_memory(tmp_path: Path) -> None:
    nodes, width = 20_000, 1500
    folder = tmp_path / "graph"
    folder.mkdir()
    ring = np.arange(nodes)
    edges = np.stack([np.repeat(ring, 2), np.stack([ring - 1, ring + 1], 1).ravel() % nodes])
    x = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float32, (nodes, width))
    x[:] = 1.0
    x.flush()
    np.save(folder / "edge_index.npy", edges.astype(np.int64))
    np.save(folder / "crow.npy", 2 * np.arange(nodes + 1))
    index = {
        **{"format": FORMAT, "nodes": nodes, "features": width, "sha256": "0" * 64},
        **{"arrays": ["crow", "edge_index", "x"], "names": [], "class_names": []},
    }
    (folder / INDEX).write_text(json.dumps(index))
    done = subprocess.run(
        [sys.executable, "-c", WORK, folder], check=True, capture_output=True, text=True
    )
    size = (folder / "x.npy").stat().st_size
    assert size == 128 + 4 * nodes * width
    # A batch is 3 % of the nodes: their features, and the pages around a few rows at a time.
    assert 0 < int(done.stdout) < size / 3
