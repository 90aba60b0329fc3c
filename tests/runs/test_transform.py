"""Embeddings as a step among torch_geometric's transforms."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose, ToUndirected

from homogcl.core.errors import UserError
from homogcl.runs.embedder import Embedder
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.train import train_run
from homogcl.runs.transform import AddEmbeddings

SMALL = {"epochs": 1, "hidden_dim": 8, "out_dim": 4}


def test_embeddings_join_the_pipeline(block_graph: Data, tmp_path: Path) -> None:
    embedder = Embedder("grace", **SMALL).fit(block_graph)
    path = embedder.save(tmp_path / "e.safetensors")
    transformed = Compose([ToUndirected(), AddEmbeddings(path)])(block_graph)
    np.testing.assert_array_equal(transformed.z.numpy(), embedder.transform(block_graph))
    assert "z" not in block_graph
    assert torch.equal(transformed.y, block_graph.y)
    assert "h" in AddEmbeddings(embedder, name="h")(block_graph)
    assert repr(AddEmbeddings(embedder)).startswith("AddEmbeddings(Embedder('grace'")


def test_a_run_folder_gives_its_own_embeddings(tmp_path: Path) -> None:
    ring = "".join(f"n{i},n{(i + 1) % 12}\nn{i},n{(i + 5) % 12}\n" for i in range(12))
    (tmp_path / "edges.csv").write_text("a,b\n" + ring)
    rows = "".join(f"n{i},{i % 3 + 1},{i % 5}\n" for i in range(12))
    (tmp_path / "nodes.csv").write_text("id,u,v\n" + rows)
    files = {"nodes": "nodes.csv", "features": ["u", "v"]}
    run = Request("grace", str(tmp_path / "edges.csv"), 3, SMALL, files=files).resolve()
    folder, graph = RunFolder(tmp_path / "run"), run.graph
    train_run(run, folder)
    embedder = Embedder.load(folder.path)
    assert (embedder.method, embedder.seed) == ("grace", 3)
    with_z = AddEmbeddings(folder.path)(
        Data(x=graph.x, edge_index=graph.edge_index, recipe=graph.recipe)
    )
    np.testing.assert_allclose(with_z.z.numpy(), folder.embeddings(), atol=1e-6)
    assert folder.ids()[:2] == ["n0", "n1"]
    fewer = Data(x=graph.x[:, :1], edge_index=graph.edge_index)
    with pytest.raises(UserError, match="has 1 features, but 2 were learned"):
        embedder.transform(fewer)


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no finished run"):
        AddEmbeddings(tmp_path)
