"""What a trained method gives, and what it sees of a graph."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.load import citation_graph
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.methods.base import Sizes
from homogcl.methods.forms import FORMS
from homogcl.methods.inference import embeddings, evaluation, logits, without_labels
from homogcl.methods.registry import Method, build
from homogcl.nn import operators
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


def three_layers(graph: Data, name: str = "grace") -> Method:
    settings: dict[str, object] = {"num_layers": 3, "hidden_dim": 8, "out_dim": 4}
    return build(name, settings, Sizes.of(graph), seed=0)


def in_loops(method: Method, graph: Data) -> dict[str, list[list[list[float]]]]:
    """Return the blocks of a GCN with three layers, computed number by number in float64."""
    nodes = range(int(graph.num_nodes or 0))
    near = {i: {i: 1.0} for i in nodes}
    for (source, target), weight in zip(
        graph.edge_index.t().tolist(), graph.edge_weight.tolist(), strict=True
    ):
        near[target][source] = weight
    degree = [sum(near[i].values()) for i in nodes]

    def averaged(rows: list[list[float]]) -> list[list[float]]:
        return [
            [
                sum(w * rows[j][c] / math.sqrt(degree[i] * degree[j]) for j, w in near[i].items())
                for c in range(len(rows[0]))
            ]
            for i in nodes
        ]

    x = [[float(value) for value in row] for row in graph.x.tolist()]
    h, layers = x, []
    for index in range(3):
        weight = method.get_parameter(f"encoder.layers.{index}.weight").tolist()
        bias = method.get_parameter(f"encoder.layers.{index}.bias").tolist()
        h = [
            [
                sum(a * w[c] for a, w in zip(row, weight, strict=True)) + b
                for c, b in enumerate(bias)
            ]
            for row in averaged(h)
        ]
        h = h if index == 2 else [[max(value, 0.0) for value in row] for row in h]
        layers.append(h)
    return {"last": layers[-1:], "layers": layers, "x": [x], "ax": [averaged(x)]}


def test_each_form_is_what_loops_give(block_graph: Data) -> None:
    rng = torch.Generator().manual_seed(0)
    block_graph.edge_weight = 0.5 + torch.rand(block_graph.num_edges, generator=rng)
    block_graph.x[7] = 0.0  # a row without a length
    method = three_layers(block_graph)
    assert embeddings(method, block_graph, "layers").dtype == torch.float32
    method = method.double()
    block_graph.x, block_graph.edge_weight = (
        block_graph.x.double(),
        block_graph.edge_weight.double(),
    )
    oracle = in_loops(method, block_graph)
    for name, (blocks, unit) in FORMS.items():
        tables = [torch.tensor(t, dtype=torch.double) for each in blocks for t in oracle[each]]
        if unit:
            tables = [t / t.norm(dim=1, keepdim=True).clamp(min=1e-300) for t in tables]
        z = embeddings(method, block_graph, name)
        torch.testing.assert_close(z, torch.cat(tables, dim=1))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_the_same_in_blocks_and_of_sparse_features(block_graph: Data, form: str) -> None:
    block_graph.x = block_graph.x.relu()
    method = three_layers(block_graph, "grace+homogcl")
    z = embeddings(method, block_graph, form)
    torch.testing.assert_close(embeddings(method, block_graph, form, block=17), z)
    block_graph.x = block_graph.x.to_sparse_csr()
    torch.testing.assert_close(embeddings(method, block_graph, form), z)
    torch.testing.assert_close(embeddings(method, block_graph, form, block=17), z)


def test_the_last_layer_alone_is_the_same_bits_as_ever(block_graph: Data) -> None:
    method = three_layers(block_graph).eval()
    z = method.embed(block_graph)
    assert torch.equal(embeddings(method, block_graph), z)
    assert torch.equal(embeddings(method, block_graph, "layers")[:, -4:], z)


@pytest.mark.parametrize("name", ["raw", "mvgrl", "dgi"])
def test_a_method_of_one_output_has_one_layer(block_graph: Data, name: str) -> None:
    method = build(name, {}, Sizes.of(block_graph), seed=0)
    one, two = (embeddings(method, block_graph, form) for form in ("last", "layers"))
    assert torch.equal(one, two)


def test_a_variational_method_has_its_mean_as_last_layer(block_graph: Data) -> None:
    settings: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}
    method = build("vgae", settings, Sizes.of(block_graph), seed=0)
    assert embeddings(method, block_graph, "layers").shape == (60, 8 + 4)


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


@pytest.mark.parametrize("name", ["grace", "propagation", "bgrl"])
def test_embeddings_of_a_graph_on_disk_are_those_in_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = citation_graph(num_nodes=150, num_words=20, seed=0)
    settings = {} if name == "propagation" else {"hidden_dim": 16, "out_dim": 8}
    method = build(name, settings, Sizes.of(graph), seed=0)
    expected = embeddings(method, graph)
    monkeypatch.setattr(operators, "MOST_EDGES", 10)
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    z = embeddings(method, opened, block=40)
    torch.testing.assert_close(z, expected, rtol=0, atol=2e-6)
    assert hasattr(z, "scratch_pages")  # it lies on disk
