from __future__ import annotations

import pytest
import torch
from torch import Tensor

from homogcl.methods.base import Sizes, total
from homogcl.methods.hdi import HDI
from tests.reference.infomax import affine, cross_entropy, normalized, small_graph


def hdi(loops: float = 3.0) -> HDI:
    torch.manual_seed(0)
    config = HDI.Config(out_dim=4, self_loop_weight=loops)
    return HDI(config, Sizes(nodes=9, features=5)).double()


def slow_terms(method: HDI, x: Tensor, order: Tensor, a: Tensor) -> dict[str, Tensor]:
    weight, bias = affine(method.encoder.layers[0])
    h = torch.relu(a @ x @ weight + bias)
    fake = torch.relu(a @ x[order] @ weight + bias)
    s = torch.sigmoid(h.mean(0))

    def signal(features: Tensor) -> Tensor:
        of_s = torch.sigmoid(s @ method.of_summary.weight + method.of_summary.bias)
        of_x = torch.sigmoid(features @ method.of_features.weight + method.of_features.bias)
        both = torch.cat([of_s, of_x])
        return torch.sigmoid(both @ method.of_both.weight + method.of_both.bias)

    nodes = range(9)
    e, i, j = method.extrinsic, method.intrinsic, method.joint
    return {
        "extrinsic": cross_entropy([h[n] @ e @ s for n in nodes], [fake[n] @ e @ s for n in nodes]),
        "intrinsic": cross_entropy(
            [x[n] @ i @ h[n] for n in nodes], [x[n] @ i @ fake[n] for n in nodes]
        ),
        "joint": cross_entropy(
            [h[n] @ j @ signal(x[n]) for n in nodes],
            [h[n] @ j @ signal(x[order[n]]) for n in nodes],
        ),
    }


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("loops", [1.0, 3.0])
def test_terms_and_gradients_are_the_formula_node_by_node(loops: float, sparse: bool) -> None:
    method, graph = hdi(loops), small_graph(sparse=sparse)
    views = method.views(graph, torch.Generator().manual_seed(4))
    x = small_graph().x
    expected = slow_terms(method, x, views.order, normalized(graph, loops))
    terms = method.objective(views)
    assert terms.keys() == expected.keys()
    for name, value in terms.items():
        torch.testing.assert_close(value, expected[name])
    parameters = list(method.parameters())
    weights = method.term_weights()
    fast = torch.autograd.grad(total(terms, weights), parameters)
    slow = torch.autograd.grad(total(expected, weights), parameters)
    for mine, oracle in zip(fast, slow, strict=True):
        torch.testing.assert_close(mine, oracle)


def test_embedding_uses_heavy_loops_and_leaves_the_graph_unweighted() -> None:
    method, graph = hdi(), small_graph()
    weight, bias = affine(method.encoder.layers[0])
    h = torch.relu(normalized(graph, 3.0) @ graph.x @ weight + bias)
    torch.testing.assert_close(method.embed(graph), h)
    assert graph.edge_weight is None


def test_weights_of_the_terms_are_the_settings() -> None:
    config = HDI.Config(out_dim=4, extrinsic_weight=2.0, intrinsic_weight=3.0, joint_weight=4.0)
    method = HDI(config, Sizes(nodes=9, features=5))
    assert method.term_weights() == {"extrinsic": 2.0, "intrinsic": 3.0, "joint": 4.0}
