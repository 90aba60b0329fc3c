"""Negatives that are sampled, through the methods that have them."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Method, Sizes
from homogcl.methods.negatives import NegativesConfig, check_negatives
from homogcl.methods.registry import build
from tests.graphs import same
from tests.reference.neighbors import doubled

METHODS = ["grace", "gca"]
SMALL = {"hidden_dim": 8, "out_dim": 6}


def prepared(name: str, graph: Data, **settings: object) -> Method:
    """A method with the same weights whatever its negatives are."""
    method = build(name, {**SMALL, **settings}, Sizes.of(graph), seed=0).double()
    method.prepare(graph, torch.Generator().manual_seed(3))
    return method


def losses(method: Method, graph: Data, seed: int = 1) -> tuple[float, list[torch.Tensor]]:
    """The loss on one draw of views, and its gradients."""
    views = method.views(graph, torch.Generator().manual_seed(seed))
    [loss] = method.objective(views).values()
    live = [p for p in method.parameters() if p.requires_grad]
    return float(loss.detach()), list(torch.autograd.grad(loss, live))


@pytest.mark.parametrize("name", METHODS)
def test_a_sample_of_all_nodes_is_exact(name: str, block_graph: Data) -> None:
    graph = doubled(block_graph)
    exact = losses(prepared(name, graph), graph)
    every = losses(prepared(name, graph, negatives="sampled", num_negatives=60), graph)
    assert every[0] == pytest.approx(exact[0], rel=1e-12)
    torch.testing.assert_close(every[1], exact[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_a_sample_is_drawn_by_the_generator_of_the_step(name: str, block_graph: Data) -> None:
    graph = doubled(block_graph)
    method = prepared(name, graph, negatives="sampled", num_negatives=5)
    exact = losses(prepared(name, graph), graph)[0]
    first, again = (losses(method, graph, seed=1)[0] for _ in range(2))
    assert first == again
    assert first != exact
    assert first == pytest.approx(exact, rel=0.2)


@pytest.mark.parametrize("name", METHODS)
def test_sampling_leaves_the_views_of_a_step_as_they_were(name: str, block_graph: Data) -> None:
    both = [
        prepared(name, block_graph, **settings).views(block_graph, torch.Generator().manual_seed(1))
        for settings in ({}, {"negatives": "sampled", "num_negatives": 5})
    ]
    for left, right in ((both[0].first, both[1].first), (both[0].second, both[1].second)):
        assert same({"x": left.x, "e": left.edge_index}, {"x": right.x, "e": right.edge_index})


def test_only_a_sample_can_be_too_large() -> None:
    check_negatives(NegativesConfig(num_negatives=11), nodes=10)
    check_negatives(NegativesConfig(negatives="sampled", num_negatives=10), nodes=10)
    with pytest.raises(UserError, match="num_negatives=11 is more than the 10 nodes of a step"):
        check_negatives(NegativesConfig(negatives="sampled", num_negatives=11), nodes=10)
