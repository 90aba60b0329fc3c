from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.homophily.positives import Combine
from homogcl.methods.afgrl import AFGRL
from homogcl.methods.base import Sizes
from tests.reference.neighbors import (
    LargestTensor,
    cosine,
    doubled,
    neighbor_mean,
    weighted_pairs,
)


def afgrl(**settings: object) -> AFGRL:
    torch.manual_seed(0)
    small = {"out_dim": 6, "predictor_dim": 7, "num_centroids": 5, "num_clusterings": 2, **settings}
    return AFGRL(AFGRL.Config.model_validate(small), Sizes(nodes=60, features=16)).double()


def moved(method: AFGRL, graph: Data) -> AFGRL:
    """The method with a target that is not its student's copy, and with clusters."""
    with torch.no_grad():
        for parameter in method.encoder.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    method.objective(method.views(graph, stream(0, "augment")))
    return method


def found_pairs(
    method: AFGRL, student: Tensor, target: Tensor, graph: Data
) -> list[tuple[int, int]]:
    """The positives by their definition, with the clusters of the step that has just been."""
    adjacent = set(map(tuple, graph.edge_index.t().tolist()))
    unit = torch.stack([t / t.square().sum().sqrt() for t in target])
    distances = [
        [(unit[i] - c).square().sum() for c in run] for run in method.clusterings for i in range(60)
    ]
    nearest_cluster = torch.tensor(distances).argmin(1).view(-1, 60)
    pairs = []
    for i in range(60):
        others = [j for j in range(60) if j != i]
        others.sort(key=lambda j: -float(cosine(student[i].detach(), target[j])))
        for j in [i, *others[:3]]:
            shared = bool((nearest_cluster[:, i] == nearest_cluster[:, j]).any())
            if i == j or (i, j) in adjacent or shared:
                pairs.append((i, j))
    return pairs


def test_loss_and_gradient_are_the_formula_pair_by_pair(block_graph: Data) -> None:
    graph = doubled(block_graph)
    method = moved(afgrl(), graph)
    terms = method.objective(method.views(graph, stream(1, "augment")))
    student, target = method.encoder(graph), method.target(graph).detach()
    z = method.predictor(student)
    pairs = found_pairs(method, student, target, graph)
    assert 60 < len(pairs) < 60 * 4
    each = [4 - 2 * cosine(z[i], target[j]) - 2 * cosine(z[j], target[i]) for i, j in pairs]
    slow = torch.stack(each).mean()
    assert list(terms) == ["bootstrap"]
    torch.testing.assert_close(terms["bootstrap"], slow)
    live = [p for p in method.parameters() if p.requires_grad]
    result = torch.autograd.grad(terms["bootstrap"], live)
    torch.testing.assert_close(result, torch.autograd.grad(slow, live))


def test_neighbor_term_is_both_cosines_pair_by_pair(block_graph: Data) -> None:
    graph = doubled(block_graph)
    method = moved(afgrl(), graph)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    terms = method.objective(method.views(graph, stream(1, "augment")), pairs)
    z, h = method.predictor(method.encoder(graph)), method.target(graph).detach()
    slow = -2 * neighbor_mean(z, h, pairs) - 2 * neighbor_mean(h, z, pairs)
    torch.testing.assert_close(terms["neighbors"], slow)


def test_target_starts_as_a_copy_and_follows_by_one_count_a_step() -> None:
    method = afgrl(momentum=0.8)
    start = [p.detach().clone() for p in method.target.parameters()]
    assert all(map(torch.equal, start, method.encoder.parameters()))
    with torch.no_grad():
        for parameter in method.encoder.parameters():
            parameter.add_(1)
    method.after_step(0.5)
    decay = 1 - 0.2 * (1 + math.cos(math.pi / 2)) / 2
    expected = [decay * s + (1 - decay) * (s + 1) for s in start]
    torch.testing.assert_close([p.detach() for p in method.target.parameters()], expected)


def test_clusters_go_on_from_the_last_step(block_graph: Data) -> None:
    graph, method = doubled(block_graph), afgrl(later_iterations=0)
    assert method.get_extra_state().numel() == 0
    method.objective(method.views(graph, stream(0, "augment")))
    first = method.get_extra_state()
    assert first.shape == (2, 5, 6)
    method.objective(method.views(graph, stream(1, "augment")))
    torch.testing.assert_close(method.get_extra_state(), first, rtol=0, atol=1e-12)


@pytest.mark.parametrize("centroids", [60, 100])
def test_no_more_clusters_than_nodes(centroids: int, block_graph: Data) -> None:
    graph, method = doubled(block_graph), afgrl(num_centroids=centroids)
    method.objective(method.views(graph, stream(0, "augment")))
    assert method.clusterings.size(1) == 60


def test_nothing_of_the_size_of_all_pairs_is_held() -> None:
    nodes = 3000
    rng = torch.Generator().manual_seed(0)
    edges = torch.randint(nodes, (2, 6000), generator=rng).sort(1).values
    graph = Data(x=torch.rand(nodes, 16, generator=rng), edge_index=edges, num_nodes=nodes)
    method = afgrl().float()
    with LargestTensor() as largest:
        (loss,) = method.objective(method.views(graph, rng)).values()
        loss.backward()  # type: ignore[no-untyped-call]
    assert math.isfinite(float(loss.detach()))
    assert largest.numel <= 1024 * nodes
