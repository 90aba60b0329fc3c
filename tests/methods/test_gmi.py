from __future__ import annotations

import math
from typing import Literal

import pytest
import torch
from torch import Tensor

from homogcl.methods.base import Sizes, total
from homogcl.methods.gmi import GMI, GMIViews
from tests.reference.infomax import affine, cross_entropy, edge_set, normalized, prelu, small_graph

Weights = Literal["mean", "adaptive"]


def gmi(weights: Weights = "mean", all_pairs_up_to: int = 9) -> GMI:
    torch.manual_seed(0)
    config = GMI.Config(
        out_dim=4, neighbor_weights=weights, num_negatives=3, all_pairs_up_to=all_pairs_up_to
    )
    return GMI(config, Sizes(nodes=9, features=5)).double()


def slow_terms(method: GMI, x: Tensor, views: GMIViews) -> dict[str, Tensor]:
    edges = edge_set(views.graph)
    weight, bias = affine(method.encoder.layers[0])
    slope = method.encoder.get_parameter("tails.0.0.weight")
    h = prelu(normalized(views.graph) @ x @ weight + bias, slope)

    def score(i: int, j: int) -> Tensor:
        return torch.sigmoid(h[i] @ (x[j] @ method.discriminator))

    def information(i: int, j: int) -> Tensor:
        others = [int(k) for node, k in views.strangers.t() if int(node) == i]
        false = [torch.log(1 + torch.exp(score(i, k))) for k in others]
        against = torch.stack(false).sum() / len(others)
        return -torch.log(1 + torch.exp(-score(i, j))) - against

    own = torch.stack([information(i, i) for i in range(9)])
    near = torch.zeros((), dtype=torch.float64)
    for i, j in edges:
        degree = sum((i, k) in edges for k in range(9))
        adaptive = torch.sigmoid(h[i] @ h[j]).detach()
        share = 1 / degree if method.config.neighbor_weights == "mean" else adaptive
        near = near + share * information(i, j)
    negatives = [(i, j) for i in range(9) for j in range(9) if i != j and (i, j) not in edges]
    if views.negatives is not None:
        negatives = [(int(i), int(j)) for i, j in views.negatives.t()]
    ones = [*edges, *((i, i) for i in range(9))]
    return {
        "own": -own.mean(),
        "neighborhood": -near / 9,
        "edges": cross_entropy([h[i] @ h[j] for i, j in ones], [h[i] @ h[j] for i, j in negatives]),
    }


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("all_pairs_up_to", [8, 9])
@pytest.mark.parametrize("weights", ["mean", "adaptive"])
def test_terms_and_gradients_are_the_formula_pair_by_pair(
    weights: Weights, all_pairs_up_to: int, sparse: bool
) -> None:
    method, graph = gmi(weights, all_pairs_up_to), small_graph(sparse=sparse)
    views = method.views(graph, torch.Generator().manual_seed(4))
    assert (views.negatives is None) == (all_pairs_up_to == 9)
    expected = slow_terms(method, small_graph().x, views)
    terms = method.objective(views)
    assert terms.keys() == expected.keys()
    for name, value in terms.items():
        torch.testing.assert_close(value, expected[name])
    parameters = list(method.parameters())
    fast = torch.autograd.grad(total(terms, method.term_weights()), parameters)
    slow = torch.autograd.grad(total(expected, method.term_weights()), parameters)
    for mine, oracle in zip(fast, slow, strict=True):
        torch.testing.assert_close(mine, oracle)


def test_strangers_are_other_nodes_drawn_alike() -> None:
    graph, method = small_graph(), gmi()
    rng = torch.Generator().manual_seed(0)
    drawn = torch.cat([method.views(graph, rng).strangers for _ in range(2000)], dim=1)
    count = torch.bincount(drawn[0] * 9 + drawn[1], minlength=81).view(9, 9).double()
    assert float(count.diagonal().sum()) == 0
    expected = 2000 * 3 / 8
    others = count[~torch.eye(9, dtype=torch.bool)]
    # Six standard deviations of a binomial count.
    assert float((others - expected).abs().max()) < 6 * math.sqrt(expected * 7 / 8)
