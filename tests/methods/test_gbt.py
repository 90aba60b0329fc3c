from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Combine
from homogcl.methods.base import Sizes, total
from homogcl.methods.gbt import GBT
from tests.reference.neighbors import doubled, neighbor_mean, weighted_pairs


def gbt(**settings: object) -> GBT:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 5, **settings}
    return GBT(GBT.Config.model_validate(small), Sizes(nodes=60, features=16)).double()


def standardized(h: Tensor) -> Tensor:
    """Columns with mean 0 and deviation 1, one by one."""
    columns = []
    for column in h.t():
        centered = column - column.sum() / column.numel()
        columns.append(centered / (centered.square().sum() / (column.numel() - 1)).sqrt())
    return torch.stack(columns, dim=1)


@pytest.mark.parametrize("weight_setting", [None, 0.3])
def test_loss_and_gradient_are_the_formula_entry_by_entry(
    weight_setting: float | None, block_graph: Data
) -> None:
    method, graph = gbt(redundancy_weight=weight_setting), doubled(block_graph)
    views = method.views(graph, torch.Generator().manual_seed(1))
    a, b = standardized(method.encoder(views.first)), standardized(method.encoder(views.second))
    slow = torch.zeros((), dtype=torch.float64)
    for i in range(5):
        for j in range(5):
            c = (a[:, i] * b[:, j]).sum() / 60
            weight = 1 / 5 if weight_setting is None else weight_setting
            slow = slow + ((1 - c) ** 2 if i == j else weight * c**2)
    terms = method.objective(views)
    assert list(terms) == ["invariance", "redundancy"]
    loss = total(terms, method.term_weights())
    torch.testing.assert_close(loss, slow)
    live = list(method.parameters())
    result, expected = torch.autograd.grad(loss, live), torch.autograd.grad(slow, live)
    torch.testing.assert_close(result, expected)


def test_neighbor_term_is_the_mean_cosine_pair_by_pair(block_graph: Data) -> None:
    method, graph = gbt(), doubled(block_graph)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    views = method.views(graph, torch.Generator().manual_seed(1))
    a, b = standardized(method.encoder(views.first)), standardized(method.encoder(views.second))
    terms = method.objective(views, pairs)
    torch.testing.assert_close(terms["neighbors"], -neighbor_mean(a, b, pairs))
    alone = method.objective(views)
    assert all(torch.equal(terms[name], alone[name]) for name in alone)


def test_norm_and_activation_stop_before_the_last_layer() -> None:
    tails = [[type(part).__name__ for part in tail] for tail in gbt().encoder.tails]  # type: ignore[attr-defined]
    assert tails == [["BatchNorm1d", "PReLU"], []]
