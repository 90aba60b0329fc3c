from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import APPNP

from homogcl.methods.base import Sizes
from homogcl.methods.mvgrl import MVGRL, diffuse
from homogcl.nn.operators import Normalized
from tests.reference.infomax import cross_entropy, normalized, prelu, small_graph


def mvgrl() -> MVGRL:
    torch.manual_seed(0)
    return MVGRL(MVGRL.Config(out_dim=4), Sizes(nodes=9, features=5)).double()


def page_rank(graph: Data, restart: float) -> Tensor:
    """α(I - (1-α)Â)⁻¹ by a dense inverse, [N, N]."""
    a = normalized(graph)
    s: Tensor = torch.linalg.inv(torch.eye(a.size(0), dtype=a.dtype) - (1 - restart) * a)
    return restart * s


def test_twenty_steps_are_the_closed_form_to_four_places(block_graph: Data) -> None:
    x = torch.eye(60, dtype=torch.float64)
    graph = Data(x=x, edge_index=block_graph.edge_index, num_nodes=60)
    spread = diffuse(Normalized.of(graph), x, restart=0.2, steps=20)
    assert float((spread - page_rank(graph, 0.2)).abs().max()) < 1e-4


def test_many_steps_are_the_closed_form() -> None:
    graph = small_graph()
    spread = diffuse(Normalized.of(graph), graph.x, restart=0.2, steps=200)
    torch.testing.assert_close(spread, page_rank(graph, 0.2) @ graph.x)


def test_steps_are_those_of_torch_geometric() -> None:
    graph = small_graph()
    oracle = APPNP(K=20, alpha=0.2)(graph.x, graph.edge_index)
    torch.testing.assert_close(diffuse(Normalized.of(graph), graph.x, 0.2, 20), oracle)


@pytest.mark.parametrize("sparse", [False, True])
def test_loss_and_gradients_are_the_formula_node_by_node(sparse: bool) -> None:
    method, graph = mvgrl(), small_graph(sparse=sparse)
    views = method.views(graph, torch.Generator().manual_seed(4))
    x, a = small_graph().x, normalized(graph)
    spread = torch.zeros_like(a)
    for step in range(20):
        spread = spread + 0.2 * 0.8**step * torch.linalg.matrix_power(a, step)
    spread = spread + 0.8**20 * torch.linalg.matrix_power(a, 20)
    first, second = method.adjacency_layer, method.diffusion_layer

    def encode(features: Tensor) -> tuple[Tensor, Tensor]:
        h_a = a @ features @ first.weight + first.bias
        h_s = spread @ features @ second.weight + second.bias
        return (
            prelu(h_a, method.adjacency_activation.weight),
            prelu(h_s, method.diffusion_activation.weight),
        )

    (h_a, h_s), (fake_a, fake_s) = encode(x), encode(x[views.order])
    s_a, s_s = torch.sigmoid(h_a.mean(0)), torch.sigmoid(h_s.mean(0))
    w, nodes = method.discriminator, range(9)
    expected = cross_entropy(
        [h_s[i] @ w @ s_a for i in nodes] + [h_a[i] @ w @ s_s for i in nodes],
        [fake_s[i] @ w @ s_a for i in nodes] + [fake_a[i] @ w @ s_s for i in nodes],
    )
    loss = method.objective(views)["infomax"]
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(method.embed(graph), h_a + h_s)
    parameters = list(method.parameters())
    fast = torch.autograd.grad(loss, parameters)
    slow = torch.autograd.grad(expected, parameters)
    for mine, oracle in zip(fast, slow, strict=True):
        torch.testing.assert_close(mine, oracle)
