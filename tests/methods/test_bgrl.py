from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import BatchNorm, GCNConv

from homogcl.homophily.positives import Combine, Taken
from homogcl.methods.base import Sizes
from homogcl.methods.bgrl import BGRL
from tests.reference.neighbors import (
    averaged,
    cosines,
    doubled,
    mean_cosine,
    neighbor_mean,
    weighted_pairs,
)


def bgrl(**settings: object) -> BGRL:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "predictor_dim": 7, **settings}
    return BGRL(BGRL.Config.model_validate(small), Sizes(nodes=60, features=16)).double()


def vectors(method: BGRL, graph: Data) -> tuple[list[Tensor], list[Tensor]]:
    """Predictions and targets of the two views that seed 1 draws."""
    views = method.views(graph, torch.Generator().manual_seed(1))
    both = (views.first, views.second)
    predictions = [method.predictor(method.encoder(view)) for view in both]
    return predictions, [method.target(view).detach() for view in both]


@pytest.mark.parametrize("norm", ["batch", "layer"])
def test_loss_and_gradient_are_the_formula_node_by_node(norm: str, block_graph: Data) -> None:
    method, graph = bgrl(norm=norm), doubled(block_graph)
    (z1, z2), (h1, h2) = vectors(method, graph)
    slow = 2 - mean_cosine(z1, h2) - mean_cosine(z2, h1)
    terms = method.objective(method.views(graph, torch.Generator().manual_seed(1)))
    assert list(terms) == ["bootstrap"]
    torch.testing.assert_close(terms["bootstrap"], slow)
    live = [p for p in method.parameters() if p.requires_grad]
    result = torch.autograd.grad(terms["bootstrap"], live)
    torch.testing.assert_close(result, torch.autograd.grad(slow, live))


def test_neighbor_term_is_the_expanded_loss_pair_by_pair(block_graph: Data) -> None:
    method, graph = bgrl(), doubled(block_graph)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    (z1, z2), (h1, h2) = vectors(method, graph)
    views = method.views(graph, torch.Generator().manual_seed(1))
    terms = method.objective(views, pairs)
    slow = -neighbor_mean(z1, h2, pairs) - neighbor_mean(z2, h1, pairs)
    torch.testing.assert_close(terms["neighbors"], slow)
    torch.testing.assert_close(terms["bootstrap"], method.objective(views)["bootstrap"])


@pytest.mark.parametrize("taken", list(Taken))
def test_a_mean_is_over_the_neighbors_that_each_view_leaves(
    taken: Taken, block_graph: Data
) -> None:
    method, graph = bgrl(drop_edge_1=0.7, drop_edge_2=0.3), doubled(block_graph)
    pairs = replace(weighted_pairs(graph.edge_index, Combine.WEIGHTED_MEAN), taken=taken)
    (z1, z2), (h1, h2) = vectors(method, graph)
    views = method.views(graph, torch.Generator().manual_seed(1))

    def one_side(z: Tensor, h: Tensor, view: Data) -> Tensor:
        survivors = {(i, j) for i, j in view.edge_index.t().tolist()}

        def counts(i: int, j: int) -> bool:
            seen = (i, j) in survivors
            lost = not seen and (j, i) not in survivors
            return {Taken.ALL: True, Taken.SEEN: seen, Taken.UNSEEN: lost}[taken]

        kept = torch.tensor([counts(i, j) for i, j in graph.edge_index.t().tolist()])
        assert taken is Taken.ALL or 0 < int(kept.sum()) < kept.numel()
        every = cosines(z, h)
        weighed = replace(pairs, weight=pairs.weight * kept)
        return 1 - averaged(every.diagonal(), every, weighed).mean()

    slow = one_side(z1, h2, views.first) + one_side(z2, h1, views.second)
    torch.testing.assert_close(method.objective(views, pairs)["bootstrap"], slow)


def test_encoder_is_that_of_torch_geometric(block_graph: Data) -> None:
    method, graph = bgrl(), doubled(block_graph)
    h = graph.x
    for index, (fan_in, fan_out) in enumerate([(16, 8), (8, 6)]):
        convolution, norm = GCNConv(fan_in, fan_out).double(), BatchNorm(fan_out).double()
        layer = method.encoder.layers[index]
        convolution.lin.weight.data = layer.get_parameter("weight").data.t().clone()
        h = torch.nn.PReLU().double()(norm(convolution(h, graph.edge_index)))
    torch.testing.assert_close(method.embed(graph), h)


def test_target_starts_from_a_draw_of_its_own() -> None:
    method = bgrl()
    weights = [
        network.get_parameter("layers.0.weight") for network in (method.encoder, method.target)
    ]
    assert not torch.equal(*weights)
    # Both are Glorot draws: bounded by the same limit.
    assert all(float(w.detach().abs().max()) <= math.sqrt(6 / (16 + 8)) for w in weights)


def test_target_follows_by_one_count_of_the_cosine_a_step() -> None:
    method = bgrl(momentum=0.9)
    steps = 5
    expected = [p.detach().clone() for p in method.target.parameters()]
    for step in range(1, steps + 1):
        decay = 1 - 0.1 * (1 + math.cos(math.pi * step / steps)) / 2
        online = [p.detach() for p in method.encoder.parameters()]
        expected = [decay * t + (1 - decay) * o for t, o in zip(expected, online, strict=True)]
        method.after_step(step / steps)
    torch.testing.assert_close([p.detach() for p in method.target.parameters()], expected)


def test_batch_statistics_do_not_follow(block_graph: Data) -> None:
    method, graph = bgrl(), doubled(block_graph)
    method.objective(method.views(graph, torch.Generator().manual_seed(1)))
    before = method.target.get_buffer("tails.0.0.running_mean").clone()
    method.after_step(0.1)
    assert torch.equal(method.target.get_buffer("tails.0.0.running_mean"), before)
    assert not torch.equal(method.encoder.get_buffer("tails.0.0.running_mean"), before)


def test_each_view_has_its_own_rates(block_graph: Data) -> None:
    method = bgrl(drop_edge_1=0.0, drop_edge_2=1.0, mask_feature_1=1.0, mask_feature_2=0.0)
    views = method.views(block_graph, torch.Generator().manual_seed(0))
    assert views.first.edge_index.size(1) == block_graph.edge_index.size(1)
    assert views.second.edge_index.size(1) == 0
    assert float(views.first.x.abs().max()) == 0
    assert torch.equal(views.second.x, block_graph.x)
