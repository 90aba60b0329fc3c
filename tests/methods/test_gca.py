from __future__ import annotations

import math

import networkx as nx
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.methods.base import Sizes
from homogcl.methods.gca import GCA
from homogcl.training.loop import TrainConfig, fit
from homogcl.views.augment import TwoViews
from homogcl.views.centrality import Centrality
from tests.graphs import with_isolated
from tests.reference.info_nce import slow_info_nce


def build(graph: Data, **settings: object) -> GCA:
    torch.manual_seed(0)
    config = GCA.Config.model_validate({"hidden_dim": 12, "out_dim": 6, **settings})
    method = GCA(config, Sizes.of(graph))
    method.prepare(graph, torch.Generator())
    return method


def rates(graph: Data, method: GCA, draws: int) -> tuple[Tensor, Tensor]:
    """How often each edge is dropped and each column masked in the first view."""
    rng = torch.Generator().manual_seed(1)
    edges, columns = torch.zeros(graph.num_edges), torch.zeros(graph.num_features)
    for _ in range(draws):
        view = method.views(graph, rng).first
        gone = torch.ones(graph.num_edges)
        gone[view.edge_id] = 0
        edges += gone
        columns += (view.x == 0).all(0)
    return edges / draws, columns / draws


def bag_of_words(graph: Data) -> Data:
    """The graph with 0/1 features: dense columns, rare columns and one that nobody has."""
    changed = graph.clone()
    rng = torch.Generator().manual_seed(3)
    odds = torch.linspace(0.9, 0.05, graph.num_features)
    changed.x = (torch.rand(graph.x.shape, generator=rng) < odds).float()
    changed.x[:, 5] = 0.0
    return changed


def test_edges_and_columns_are_dropped_with_the_papers_probabilities(block_graph: Data) -> None:
    graph = bag_of_words(block_graph)
    method = build(graph, drop_edge_1=0.5, mask_feature_1=0.4, centrality="degree", max_drop=0.7)
    degree = dict(nx.Graph(graph.edge_index.t().tolist()).degree())
    s = [math.log((degree[i] + degree[j]) / 2) for i, j in graph.edge_index.t().tolist()]
    top, mean = max(s), sum(s) / len(s)
    expected = torch.tensor([min(0.5 * (top - each) / (top - mean), 0.7) for each in s])
    of_column = {
        f: sum(degree[i] for i in range(60) if graph.x[i, f] != 0)
        for f in range(graph.num_features)
    }
    t = {f: math.log(value) for f, value in of_column.items() if value > 0}
    top, mean = max(t.values()), sum(t.values()) / len(t)
    masked = torch.tensor(
        [
            1.0 if f not in t else min(0.4 * (top - t[f]) / (top - mean), 0.7)
            for f in range(graph.num_features)
        ]
    )
    edges, columns = rates(graph, method, 3000)
    # Five standard deviations of a share of 3000 draws.
    assert float((edges - expected).abs().max()) < 5 * 0.5 / 3000**0.5
    assert float((columns - masked).abs().max()) < 5 * 0.5 / 3000**0.5
    assert float(expected.max()) == pytest.approx(0.7)


@pytest.mark.parametrize("centrality", ["degree", "eigenvector", "pagerank"])
@pytest.mark.parametrize("sparse", [False, True])
def test_every_centrality_gives_probabilities_on_empty_columns_and_isolated_nodes(
    block_graph: Data, centrality: Centrality, sparse: bool
) -> None:
    graph = with_isolated(bag_of_words(block_graph), 4)
    graph.x = graph.x.to_sparse_csr() if sparse else graph.x
    method = build(graph, centrality=centrality)
    for factor, count in (
        (method.adaptive.edge_factor, graph.num_edges),
        (method.adaptive.column_factor, graph.num_features),
    ):
        assert factor.shape == (count,)
        assert bool(factor.isfinite().all())
        assert bool((factor >= 0).all())
    fit(method, graph, TrainConfig(epochs=2), seed=0)


def test_without_spread_it_draws_graces_uniform_views(block_graph: Data) -> None:
    ring = torch.arange(60)
    pairs = torch.stack([ring, (ring + 1) % 60])
    edge_index = torch.cat([pairs, pairs.flip(0)], 1)
    graph = Data(x=torch.ones(60, 4), edge_index=edge_index[:, edge_index[0].argsort(stable=True)])
    method = build(graph)
    assert bool((method.adaptive.edge_factor == 1).all())
    assert bool((method.adaptive.column_factor == 1).all())


def test_the_objective_is_graces_loss_with_or_without_neighbors(block_graph: Data) -> None:
    method = build(block_graph, projector_dim=5, temperature=0.4).double()
    graph = block_graph.clone()
    graph.x = graph.x.double()
    views = method.views(graph, torch.Generator().manual_seed(0))
    small = _first(views, 60)
    u, v = (method.projector(method.encoder(view)).detach() for view in small)
    assert float(method.objective(views)["contrast"].detach()) == pytest.approx(
        float(slow_info_nce(u, v, 0.4)), rel=1e-10
    )
    weight = torch.rand(graph.num_edges, generator=torch.Generator().manual_seed(2)).double()
    saliency = torch.zeros(60, 60, dtype=torch.float64)
    saliency[graph.edge_index[0], graph.edge_index[1]] = weight
    edges = [{(i, j) for i, j in view.edge_index.t().tolist()} for view in small]
    result = method.objective(views, Positives(graph.edge_index, weight))["contrast"]
    expected = slow_info_nce(u, v, 0.4, saliency, (edges[0], edges[1]))
    assert float(result.detach()) == pytest.approx(float(expected), rel=1e-10)


def _first(views: TwoViews, nodes: int) -> tuple[Data, Data]:
    assert views.first.num_nodes == nodes
    return views.first, views.second


def test_the_factors_are_no_part_of_the_trained_model(block_graph: Data) -> None:
    method = build(block_graph)
    assert not [key for key in method.state_dict() if "factor" in key]
    fresh = GCA(method.config, Sizes.of(block_graph))
    fresh.load_state_dict(method.state_dict())
    assert torch.equal(fresh.embed(block_graph), method.embed(block_graph))
