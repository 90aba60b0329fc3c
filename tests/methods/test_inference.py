"""What a trained method gives, and what it sees of a graph."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings, evaluation, logits, without_labels
from homogcl.methods.registry import build
from tests.toys import Toy


def test_hiding_labels_keeps_sparse_features_as_they_are(block_graph: Data) -> None:
    block_graph.x = block_graph.x.to_sparse_csr()
    hidden = without_labels(block_graph)
    assert hidden.x is block_graph.x
    assert "y" not in hidden


def test_a_block_has_at_least_one_node(block_graph: Data) -> None:
    with pytest.raises(UserError, match="block=0"):
        embeddings(Toy(Sizes.of(block_graph)), block_graph, block=0)


def test_embeddings_are_made_in_evaluation_mode_and_the_mode_is_put_back(block_graph: Data) -> None:
    modes: list[bool] = []

    class Watching(Toy):
        """Notes the mode it embeds in."""

        def embed(self, graph: Data) -> torch.Tensor:
            """Return the mapped features."""
            modes.append(self.training)
            return super().embed(graph)

    method = Watching(Sizes.of(block_graph))
    for training in (True, False):
        method.train(training)
        assert not embeddings(method, block_graph).requires_grad
        assert method.training is training
    assert modes == [False, False]


def test_what_could_tell_a_label_is_hidden(block_graph: Data) -> None:
    block_graph.edge_weight = torch.ones(block_graph.num_edges)
    block_graph.ids = [f"class-{int(y)}" for y in block_graph.y]
    hidden = without_labels(block_graph)
    assert set(hidden.keys()) == {"x", "edge_index", "edge_weight", "num_nodes"}
    assert hidden.num_nodes == 60
    assert "y" in block_graph


def test_mode_is_put_back_after_an_error(block_graph: Data) -> None:
    method = Toy(Sizes.of(block_graph))
    with pytest.raises(ZeroDivisionError), evaluation(method):
        raise ZeroDivisionError
    assert method.training
    assert torch.is_grad_enabled()


def test_logits_are_those_of_the_evaluation_mode(block_graph: Data) -> None:
    settings = {"hidden_dim": 8, "dropout": 0.9}
    method = build("gcn", settings, Sizes.of(block_graph), seed=0)
    said = logits(method, block_graph)
    assert said.shape == (60, 3)
    assert not said.requires_grad
    assert torch.equal(said, logits(method, block_graph))
    assert method.training
    with pytest.raises(NotImplementedError, match="Toy learns from no labels"):
        logits(Toy(Sizes.of(block_graph)), block_graph)
