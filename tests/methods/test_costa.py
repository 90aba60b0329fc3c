from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.config import validated
from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine
from homogcl.losses import Workspace
from homogcl.methods.base import Sizes
from homogcl.methods.costa import COSTA
from tests.reference.neighbors import (
    LargestTensor,
    cosine,
    doubled,
    neighbor_mean,
    weighted_pairs,
)


def costa(**settings: object) -> COSTA:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "projector_dim": 7, **settings}
    return COSTA(COSTA.Config.model_validate(small), Sizes(nodes=60, features=16)).double()


def test_loss_and_gradient_are_the_formula_row_by_row(block_graph: Data) -> None:
    method, graph = costa(sketch_ratio=0.3, temperature=0.4), doubled(block_graph)
    views = method.views(graph, torch.Generator().manual_seed(1))
    p = torch.cat([block for _, block in views.sketch.blocks(graph.x)])
    assert p.shape == (18, 60)
    u, v = (method.projector(p @ method.encoder(view)) for view in (views.first, views.second))
    slow = torch.zeros((), dtype=torch.float64)
    for a, b in ((u, v), (v, u)):
        for i in range(18):
            every = torch.stack([(cosine(a[i], b[j]) / 0.4).exp() for j in range(18)])
            slow = slow - (every[i] / every.sum()).log() / 36
    terms = method.objective(views)
    assert list(terms) == ["contrast"]
    torch.testing.assert_close(terms["contrast"], slow)
    live = list(method.parameters())
    result = torch.autograd.grad(terms["contrast"], live)
    torch.testing.assert_close(result, torch.autograd.grad(slow, live))


def test_neighbor_term_is_between_the_nodes_themselves(block_graph: Data) -> None:
    method, graph = costa(), doubled(block_graph)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    views = method.views(graph, torch.Generator().manual_seed(1))
    z1, z2 = (method.projector(method.encoder(view)) for view in (views.first, views.second))
    terms = method.objective(views, pairs)
    torch.testing.assert_close(terms["neighbors"], -neighbor_mean(z1, z2, pairs))
    assert torch.equal(terms["contrast"], method.objective(views)["contrast"])


def test_each_step_draws_another_sketch(block_graph: Data) -> None:
    method, rng = costa(), torch.Generator().manual_seed(1)
    first, second = (method.views(block_graph, rng).sketch for _ in range(2))
    assert first.seed != second.seed


def test_each_view_has_its_own_rates(block_graph: Data) -> None:
    method = costa(drop_edge_1=0.0, drop_edge_2=1.0, mask_feature_1=0.0, mask_feature_2=1.0)
    views = method.views(block_graph, torch.Generator().manual_seed(0))
    assert torch.equal(views.first.x, block_graph.x)
    assert float(views.second.x.abs().max()) == 0
    assert views.first.edge_index.size(1) == block_graph.edge_index.size(1)
    assert views.second.edge_index.size(1) == 0


def test_a_sketch_of_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="sketch_ratio"):
        validated(COSTA.Config, {"sketch_ratio": 0})


def test_nothing_of_the_size_of_all_pairs_is_held() -> None:
    nodes = 3000
    rng = torch.Generator().manual_seed(0)
    edges = torch.randint(nodes, (2, 6000), generator=rng).sort(1).values
    graph = Data(x=torch.rand(nodes, 16, generator=rng), edge_index=edges, num_nodes=nodes)
    method = costa(sketch_ratio=0.5).float()
    method.workspace = Workspace(0)  # keeps no tile for backward
    with LargestTensor() as largest:
        (loss,) = method.objective(method.views(graph, rng)).values()
        loss.backward()  # type: ignore[no-untyped-call]
    assert math.isfinite(float(loss.detach()))
    assert largest.numel <= 1024 * nodes
