from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.homophily.plugins.base import NeighborPlugin
from homogcl.homophily.saliency import soft_assignment
from homogcl.methods.grace import GRACE
from tests.plugged import SETTINGS, edges_of, half_of, plugged
from tests.reference.info_nce import slow_info_nce


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return half_of(block_graph)


def released(graph: Data, **settings: object) -> NeighborPlugin:
    return plugged(graph, "grace+released", {**SETTINGS, **settings})


def test_clusters_start_anew_at_each_step(graph: Data) -> None:
    # Random features have no clusters, so that another start would end elsewhere.
    graph.x = torch.randn(graph.x.shape, generator=stream(1, "x"), dtype=torch.float64)
    method = released(graph, encoder="mlp", num_clusters=8)
    clusterings = []
    for seed in (0, 1):
        method.objective(method.views(graph, stream(seed, "augment")))
        clusterings.append(method.centroids)
    assert torch.equal(*clusterings)
    by_paper = plugged(graph, "grace+homogcl", {**SETTINGS, "encoder": "mlp", "num_clusters": 8})
    by_paper.objective(by_paper.views(graph, stream(0, "augment")))
    assert not torch.equal(by_paper.centroids, clusterings[0])


def test_averages_the_homophily_loss_over_self_loops_too(graph: Data) -> None:
    method = released(graph)
    terms = method.objective(method.views(graph, stream(0, "augment")))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    loops = torch.arange(graph.num_nodes)
    source, target = torch.cat([graph.edge_index, torch.stack([loops, loops])], 1)
    torch.testing.assert_close(terms["homophily"], (r[source] - r[target]).square().mean())


def test_clusters_at_most_256_nodes_per_cluster() -> None:
    nodes = 600
    ring = torch.arange(nodes)
    edges = torch.stack(
        [torch.cat([ring, (ring + 1) % nodes]), torch.cat([(ring + 1) % nodes, ring])]
    )
    edges = edges[:, (edges[0] * nodes + edges[1]).argsort()]
    x = torch.randn(nodes, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    graph = Data(x=x, edge_index=edges)
    method = released(graph, num_clusters=1)
    method.objective(method.views(graph, stream(0, "augment")))
    h = method.embed(graph)
    sample = torch.randperm(nodes, generator=torch.Generator().manual_seed(1234))[:256]
    torch.testing.assert_close(method.centroids[0], h[sample].mean(0))


def test_loss_is_the_published_one_written_as_loops(graph: Data) -> None:
    method = released(graph)
    views = method.views(graph, stream(0, "augment"))
    ours = method.objective(views)["contrast"]
    base = method.base
    assert isinstance(base, GRACE)
    u, v = (base.projector(base.encoder(view)) for view in (views.base.first, views.base.second))
    r = soft_assignment(method.embed(graph), method.centroids, 0.5)
    unit = r / r.norm(dim=1, keepdim=True)
    edges = (edges_of(views.base.first), edges_of(views.base.second))
    slow = slow_info_nce(u, v, 0.5, unit @ unit.t(), edges, averaged=True, own_pair_twice=True)
    torch.testing.assert_close(ours, slow)
