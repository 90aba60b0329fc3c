from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.methods.base import Sizes
from homogcl.methods.raw import Raw
from homogcl.training.loop import Epoch, TrainConfig, fit


def test_embeddings_are_the_features_and_stay_so(block_graph: Data) -> None:
    epochs: list[Epoch] = []
    method = Raw(Config(), Sizes.of(block_graph))
    assert list(method.parameters()) == []
    fit(method, block_graph, TrainConfig(epochs=3), seed=0, on_epoch=epochs.append)
    assert epochs == []
    assert torch.equal(method.embed(block_graph), block_graph.x)


def test_sparse_features_are_written_out(block_graph: Data) -> None:
    expected = block_graph.x.relu()
    block_graph.x = expected.to_sparse_csr()
    z = Raw(Config(), Sizes.of(block_graph)).embed(block_graph)
    assert z.layout == torch.strided
    assert torch.equal(z, expected)


def test_edges_do_not_count(block_graph: Data) -> None:
    method = Raw(Config(), Sizes.of(block_graph))
    z = method.embed(block_graph)
    block_graph.edge_index = block_graph.edge_index[:, :0]
    assert torch.equal(method.embed(block_graph), z)
    assert method.training_data == "X"
