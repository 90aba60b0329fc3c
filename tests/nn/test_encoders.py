from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.nn.encoders import (
    activation,
    hidden_outputs,
    in_blocks,
    move_target,
    predictor,
    projector,
    target_of,
)
from tests.networks import encoder, gradients, parts, random_graph

KINDS = ["gcn", "gat", "sage", "mlp"]


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_features_give_what_dense_ones_give(kind: str) -> None:
    graph = random_graph(2)
    graph.x = graph.x.relu()
    ours = encoder(encoder=kind)
    expected = ours(graph)
    expected_grads = gradients(expected, ours)
    graph.x = graph.x.to_sparse_csr()
    result = ours(graph)
    torch.testing.assert_close(result, expected)
    torch.testing.assert_close(gradients(result, ours), expected_grads)


@pytest.mark.parametrize("kind", KINDS)
def test_graph_without_any_edge_is_encoded(kind: str) -> None:
    graph = random_graph(2)
    graph.edge_index = torch.empty(2, 0, dtype=torch.long)
    result = encoder(encoder=kind)(graph)
    assert result.shape == (12, 3)
    assert bool(result.isfinite().all())


@pytest.mark.parametrize("norm", ["none", "batch", "layer"])
@pytest.mark.parametrize("last_activation", [False, True])
def test_norm_and_activation_follow_each_layer_and_the_last_one_where_asked(
    norm: str, last_activation: bool
) -> None:
    graph = random_graph(4)
    ours = encoder(encoder="mlp", norm=norm, last_activation=last_activation, activation="elu")

    def tail(h: Tensor, index: int) -> Tensor:
        if norm != "none":
            dim = 0 if norm == "batch" else 1
            variance, mean = torch.var_mean(h, dim, correction=0, keepdim=True)
            made = parts(ours.tails)[index][0]
            h = (h - mean) / (variance + 1e-5).sqrt() * made.weight + made.bias
        return functional.elu(h)

    first, second = parts(ours.layers)
    expected = tail(graph.x @ first.weight + first.bias, 0) @ second.weight + second.bias
    if last_activation:
        expected = tail(expected, 1)
    torch.testing.assert_close(ours(graph), expected)


def test_momentum_of_batch_norm_is_the_configured_one() -> None:
    graph = random_graph(4)
    ours = encoder(encoder="mlp", norm="batch", norm_momentum=0.25)
    ours(graph)
    layer = parts(ours.layers)[0]
    h = graph.x @ layer.weight + layer.bias
    torch.testing.assert_close(parts(ours.tails)[0][0].running_mean, 0.25 * h.mean(0))


@pytest.mark.parametrize("num_layers", [1, 2, 4])
def test_encoder_has_as_many_layers_as_asked_for(num_layers: int) -> None:
    ours = encoder(num_layers=num_layers)
    shapes = [tuple(layer.weight.shape) for layer in parts(ours.layers)]
    assert shapes[0][0] == 5
    assert shapes[-1][1] == 3
    assert len(shapes) == num_layers
    assert all(shape == (8, 8) for shape in shapes[1:-1])


def test_leaky_activation_is_the_evaluation_mode_of_rrelu() -> None:
    x = torch.linspace(-3, 3, 13)
    torch.testing.assert_close(activation("leaky")(x), nn.RReLU().eval()(x))


def test_activations_are_the_named_ones() -> None:
    x = torch.linspace(-3, 3, 13)
    assert torch.equal(activation("relu")(x), x.relu())
    assert torch.equal(activation("elu")(x), functional.elu(x))
    assert torch.equal(activation("prelu")(x), torch.where(x > 0, x, 0.25 * x))


def test_heads_are_two_layers_and_no_width_means_no_projector() -> None:
    x = torch.randn(4, 6)
    assert projector(6, 0)(x) is x
    for head, bend in ((projector(6, 9), functional.elu), (predictor(6, 9), nn.PReLU())):
        assert isinstance(head, nn.Sequential)
        torch.testing.assert_close(head(x), head[2](bend(head[0](x))))
        assert head[0].out_features == 9


def test_target_is_a_copy_that_no_gradient_reaches() -> None:
    online = encoder()
    target = target_of(online)
    assert not any(p.requires_grad for p in target.parameters())
    assert all(p.requires_grad for p in online.parameters())
    with torch.no_grad():
        next(online.parameters()).add_(1.0)
    assert not torch.equal(next(online.parameters()), next(target.parameters()))


@pytest.mark.parametrize("decay", [0.0, 0.9, 1.0])
def test_target_moves_by_the_moving_average(decay: float) -> None:
    online, target = encoder(num_layers=3), target_of(encoder(num_layers=3, activation="elu"))
    with torch.no_grad():
        for parameter in online.parameters():
            parameter.mul_(-2).add_(1)
    before = [p.clone() for p in target.parameters()]
    live = [p.detach().clone() for p in online.parameters()]
    move_target(target, online, decay)
    for held, old, new in zip(target.parameters(), before, live, strict=True):
        torch.testing.assert_close(held, decay * old + (1 - decay) * new)
    assert all(torch.equal(p, q) for p, q in zip(online.parameters(), live, strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("norm", ["none", "batch", "layer"])
@pytest.mark.parametrize("block", [1, 5, 11, 12, 40])
def test_blocks_of_nodes_give_what_all_nodes_at_once_give(kind: str, norm: str, block: int) -> None:
    graph = random_graph(3, weighted=kind != "gat")
    made = encoder(encoder=kind, norm=norm, num_layers=3, heads=2)
    for _ in range(3):
        made(graph)  # so that running means and variances are not those of the start
    made.eval()
    whole = made(graph)
    with in_blocks(made, block):
        blocked = made(graph)
    torch.testing.assert_close(blocked, whole, rtol=1e-10, atol=1e-10)
    graph.x = graph.x.relu().to_sparse_csr()
    with in_blocks(made, block):
        blocked = made(graph)
    torch.testing.assert_close(blocked, made(graph), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_outputs_are_the_inputs_of_the_next_layers(kind: str) -> None:
    graph = random_graph(3, weighted=kind != "gat")
    network = encoder(encoder=kind, num_layers=3, heads=2)
    networks = nn.ModuleList([network, encoder()]).eval()
    with hidden_outputs(networks) as hidden:
        z = network(graph)
    structure = network.structure(graph)
    layers, tails = parts(network.layers), parts(network.tails)
    first = tails[0](layers[0](graph.x, structure))
    second = tails[1](layers[1](first, structure))
    assert len(hidden) == 2
    assert torch.equal(hidden[0], first)
    assert torch.equal(hidden[1], second)
    assert torch.equal(layers[2](second, structure), z)
    with in_blocks(networks, 5), hidden_outputs(networks) as blocked:
        network(graph)
    torch.testing.assert_close(blocked, hidden, rtol=1e-10, atol=1e-10)
    network(graph)
    assert len(hidden) == len(blocked) == 2  # nothing is collected behind the block


def test_blocks_follow_the_direction_of_edges() -> None:
    graph = Data(
        x=torch.randn(4, 5, dtype=torch.double, generator=stream(0, "x")),
        edge_index=torch.tensor([[0, 1, 2, 2], [3, 3, 0, 1]]),
    )
    for kind in KINDS:
        made = encoder(encoder=kind).eval()
        whole = made(graph)
        with in_blocks(made, 2):
            blocked = made(graph)
        torch.testing.assert_close(blocked, whole, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_recomputing_changes_neither_result_nor_gradient(kind: str) -> None:
    graph = random_graph(5)
    results = []
    for recompute in (False, True):
        made = encoder(encoder=kind, norm="layer", heads=2, recompute=recompute)
        h = made(graph)
        results.append([h.detach(), *gradients(h, made)])
    for kept, again in zip(*results, strict=True):
        assert torch.equal(kept, again)


def test_recomputing_keeps_no_hidden_layer() -> None:
    graph = random_graph(5)
    sizes = {}
    for recompute in (False, True):
        made = encoder(encoder="gcn", recompute=recompute)
        kept: list[Tensor] = []

        def keep(tensor: Tensor, kept: list[Tensor] = kept) -> Tensor:
            kept.append(tensor)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            made(graph)
        sizes[recompute] = sum(t.numel() for t in kept if t.shape == (12, 8))
    assert sizes[False] > 0
    assert sizes[True] == 0


def test_recomputing_is_refused_where_a_batch_would_count_twice() -> None:
    with pytest.raises(ValueError, match="recompute would count"):
        encoder(norm="batch", recompute=True)
