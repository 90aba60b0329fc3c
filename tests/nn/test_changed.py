"""Views with features of their own: computed on demand, and what they are made of."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.nn.changed import changed_view, source_features

MASKED = torch.tensor([1, 4, 5, 11])


def test_masked_features_are_computed_when_asked_for_and_give_way_to_others(
    block_graph: Data,
) -> None:
    view = changed_view(block_graph, block_graph.x, MASKED)
    assert "x" not in view
    assert view.num_features == block_graph.num_features
    expected = block_graph.x.clone()
    expected[:, MASKED] = 0
    with torch.no_grad():
        assert torch.equal(view.x, expected)
    assert view.x is view.x
    view.x = torch.ones(3, 2)
    assert view.num_features == 2
    assert "masked" not in view
    assert source_features(view) is view.x
    assert torch.equal(view.x, torch.ones(3, 2))


def test_masked_features_carry_gradients_whoever_asks_first(block_graph: Data) -> None:
    block_graph.x.requires_grad_()
    view = changed_view(block_graph, block_graph.x, MASKED)
    with torch.no_grad():
        view.x.sum()
    view.x.sum().backward()  # type: ignore[no-untyped-call]
    gradient = block_graph.x.grad
    assert gradient is not None
    assert torch.equal(gradient[0] == 0, torch.isin(torch.arange(16), MASKED))
