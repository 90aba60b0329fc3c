from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.data.load import citation_graph
from homogcl.nn import layers
from homogcl.nn.computation import AtOnce, DroppedInput, InBlocks, SharedInput
from homogcl.nn.dropout import dropped
from homogcl.nn.encoders import Encoder, EncoderConfig, dropped_inputs, in_blocks, shared_inputs
from homogcl.nn.operators import normalized
from homogcl.views.augment import augment, clean_view, shuffle_features


def graphs(rate: float = 0.3) -> list[Data]:
    graph = clean_view(citation_graph(num_nodes=30, num_words=12, seed=0))
    graph.x = graph.x.to_dense().double()
    rng = torch.Generator().manual_seed(1)
    views = [graph, augment(graph, 0.2, rate, rng), augment(graph, 0.4, rate, rng)]
    order = torch.randperm(30, generator=rng)
    return [*views, shuffle_features(graph, order), shuffle_features(views[1], order)]


def encoder(**changes: object) -> Encoder:
    torch.manual_seed(0)
    config = EncoderConfig.model_validate({"hidden_dim": 7, "out_dim": 5} | changes)
    return Encoder(config, 12).double()


def outputs_and_gradients(network: Encoder, views: list[Data]) -> list[Tensor]:
    outputs = [network(view) for view in views]
    sum(((i + 1) * h.square().sum() for i, h in enumerate(outputs)), torch.tensor(0.0)).backward()
    return [*outputs, *(p.grad for p in network.parameters() if p.grad is not None)]


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    "changes", [{}, {"encoder": "sage"}, {"encoder": "gat", "heads": 7}, {"recompute": True}]
)
def test_sharing_changes_neither_outputs_nor_gradients(
    rate: float, changes: dict[str, object]
) -> None:
    views = graphs(rate)
    apart = outputs_and_gradients(encoder(**changes), views)
    network = encoder(**changes)
    with shared_inputs(network):
        together = outputs_and_gradients(network, views)
    torch.testing.assert_close(together, apart, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["gcn", "sage", "gat"])
def test_sharing_computes_no_masked_features(kind: str) -> None:
    network, views = encoder(encoder=kind, heads=7), graphs()
    with shared_inputs(network):
        outputs_and_gradients(network, views)
    assert ["x" in view for view in views] == [True, False, False, False, False]


def test_features_that_replace_masked_ones_are_those_that_count() -> None:
    views = graphs()
    for view in views[1:]:
        view.x = view.x * 2
    apart = outputs_and_gradients(encoder(), views)
    network = encoder()
    with shared_inputs(network):
        together = outputs_and_gradients(network, views)
    torch.testing.assert_close(together, apart, rtol=1e-12, atol=1e-12)


def test_all_views_take_one_whole_product(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    products = layers.products

    def counted(x: Tensor, weights: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        shapes.append(x.size(1))
        return products(x, weights)

    monkeypatch.setattr(layers, "products", counted)
    network, views = encoder(), graphs()
    with shared_inputs(network):
        with torch.no_grad():
            assert not network(views[0]).requires_grad
        for view in views:
            assert network(view).requires_grad  # also after one without a gradient
        assert shapes.count(12) == 1
    network(views[0])
    assert shapes.count(12) == 2


def test_a_weight_that_moved_has_a_product_of_its_own() -> None:
    network, views = encoder(), graphs()
    with shared_inputs(network), torch.no_grad():
        before = network(views[1])
        next(network.parameters()).mul_(2.0)
        assert not torch.equal(network(views[1]), before)


def test_sparse_features_are_left_as_they_are() -> None:
    views = graphs()
    for view in views:
        view.x = view.x.to_sparse_csr()
    apart = outputs_and_gradients(encoder(), views)
    network = encoder()
    with shared_inputs(network):
        together = outputs_and_gradients(network, views)
    assert all(torch.equal(a, b) for a, b in zip(apart, together, strict=True))


def test_every_encoder_of_a_network_computes_another_way_and_then_as_before() -> None:
    outer, inner = encoder(), encoder(recompute=True)
    network = nn.ModuleList([outer, nn.Sequential(inner)])
    with shared_inputs(network):
        assert isinstance(outer.computation, SharedInput)
        # Backward computes this one's layers again, when nothing is shared any more.
        assert isinstance(inner.computation, AtOnce)
        with in_blocks(network, 3):
            for each in (outer, inner):
                assert each.computation == InBlocks(3)
        assert isinstance(outer.computation, SharedInput)
    assert isinstance(outer.computation, AtOnce)


def test_an_error_inside_leaves_no_trace() -> None:
    network, graph = encoder(), graphs()[0]
    graph.x = graph.x[:, :3]
    with pytest.raises(RuntimeError), in_blocks(network, 4):
        network(graph)
    assert isinstance(network.computation, AtOnce)


def test_two_encoders_share_no_product() -> None:
    views, first, second = graphs(), encoder(), encoder()
    with torch.no_grad():
        next(second.parameters()).mul_(2.0)
    apart = [network(view) for network in (first, second) for view in views]
    with shared_inputs(nn.ModuleList([first, second])):
        together = [network(view) for network in (first, second) for view in views]
    torch.testing.assert_close(together, apart, rtol=1e-12, atol=1e-12)


def test_encoders_of_a_step_share_what_they_need_of_a_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    views, kinds = graphs()[:3], []

    def counted(graph: Data) -> object:
        kinds.append(torch.is_grad_enabled())
        return normalized(graph)

    monkeypatch.setattr(layers, "normalized", counted)
    first, second = encoder(), encoder()
    with shared_inputs(nn.ModuleList([first, second])):
        with torch.no_grad():
            outputs = [second(view) for view in views]
        outputs += [first(view) for view in views]
        # Another number of nodes or other edges, although in the same graph, are another view.
        edges, views[0].edge_index = views[0].edge_index, views[0].edge_index.clone()
        first(views[0])
    assert kinds == [True] * (len(views) + 1)
    views[0].edge_index = edges
    apart = [network(view) for network in (second, first) for view in views]
    torch.testing.assert_close(outputs, apart, rtol=1e-12, atol=1e-12)
    assert len(kinds) == 3 * len(views) + 1


def test_numbers_are_dropped_before_each_layer_and_nowhere_else() -> None:
    network, view = encoder(), graphs()[0]
    clean = network(view)
    with dropped_inputs(network, 0.4, torch.Generator().manual_seed(3)):
        assert isinstance(network.computation, DroppedInput)
        result = network(view)
    rng, h = torch.Generator().manual_seed(3), view.x
    structure = network.structure(view)
    for layer, tail in zip(network.layers, network.tails, strict=True):
        h = tail(layer(dropped(h, 0.4, rng), structure))
    torch.testing.assert_close(result, h)
    assert torch.equal(network(view), clean)
