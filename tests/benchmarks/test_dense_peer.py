"""The dense peer computes what the package computes, so that a ratio of times means something."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import mse_loss, normalize
from torch_geometric.data import Data

from benchmarks.dense_peer import MessageEncoder, dense_loss
from homogcl.homophily.clusters import centroids
from homogcl.methods.base import Sizes
from homogcl.methods.grace import GRACE
from tests.reference.info_nce import slow_info_nce
from tests.reference.neighbors import doubled

SMALL = GRACE.Config(hidden_dim=8, out_dim=6, projector_dim=5, temperature=0.4)


@pytest.fixture
def graph(block_graph: Data) -> Data:
    """A part of the graph that loops can go through, in float64."""
    return doubled(block_graph.subgraph(torch.arange(15)))


def test_loss_is_that_of_the_released_code_pair_by_pair(graph: Data) -> None:
    torch.manual_seed(0)
    method = GRACE(SMALL, Sizes.of(graph)).double()
    views = method.views(graph, torch.Generator().manual_seed(1))
    u, v = method.compared(views)
    h = method.encoder(graph)
    centers = centroids(h, 3, torch.Generator().manual_seed(1234))
    r = torch.softmax(-torch.cdist(h, centers).square() / 1e-3, dim=1)
    edges = [{(i, j) for i, j in e.edge_index.t().tolist()} for e in (views.first, views.second)]
    saliency = normalize(r) @ normalize(r).t()
    # The released code has a node's own pair twice in the denominator of the one term, and a loop
    # at each node among the edges of the other.
    contrast = slow_info_nce(u, v, 0.4, saliency, (edges[0], edges[1]), own_pair_twice=True)
    pairs = [*graph.edge_index.t().tolist(), *([i, i] for i in range(15))]
    homophily = torch.stack([mse_loss(r[i], r[j]) for i, j in pairs]).mean()
    torch.testing.assert_close(dense_loss(method, views, graph, 3), contrast + homophily)


def test_layers_of_torch_geometric_compute_what_ours_compute(graph: Data) -> None:
    torch.manual_seed(0)
    method = GRACE(SMALL, Sizes.of(graph)).double()
    peer = MessageEncoder((graph.num_features, 8, 6)).double()
    for theirs, ours in zip((peer.first, peer.second), method.encoder.layers, strict=True):
        theirs.lin.weight.data = ours.get_parameter("weight").data.t()
    expected = method.encoder(graph)
    torch.testing.assert_close(peer(graph), expected)
    graph.x = graph.x.to_sparse_csr()
    torch.testing.assert_close(peer(graph), expected)
