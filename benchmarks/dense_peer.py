"""The peer: HomoGCL on GRACE as its released code computes it, with dense N x N matrices.

Similarities, two integer adjacencies and the saliency of all pairs are held at once; k-means is
this package's own. With this package's encoder the comparison is of the loss's formulation alone:
the released code has DGL's layers, which compute sparse products too. `MessageEncoder` has those of
torch_geometric, as most people would write it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, normalize, relu
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.homophily.clusters import centroids
from homogcl.methods.grace import GRACE
from homogcl.views.augment import TwoViews


class MessageEncoder(nn.Module):
    """Two layers of torch_geometric over edge lists: a message an edge, summed by node."""

    def __init__(self, dims: tuple[int, int, int]) -> None:
        """Build layers of the widths `dims`."""
        super().__init__()
        self.first, self.second = GCNConv(*dims[:2]), GCNConv(*dims[1:])

    def forward(self, graph: Data) -> Tensor:
        """Return the embeddings, [N, out_dim]."""
        x = graph.x.to_dense() if graph.x.layout == torch.sparse_csr else graph.x
        h: Tensor = self.second(relu(self.first(x, graph.edge_index)), graph.edge_index)
        return h


def dense_loss(method: GRACE, views: TwoViews, graph: Data, clusters: int) -> Tensor:
    """Return the released objective of one step: contrast plus homophily loss."""
    u = method.projector(method.encoder(views.first))
    v = method.projector(method.encoder(views.second))
    h = method.encoder(graph)
    rng = torch.Generator().manual_seed(1234)
    c = centroids(h, clusters, rng)
    r = torch.softmax(-torch.cdist(h, c).square() / 1e-3, dim=1)
    unit = normalize(r)
    saliency = unit @ unit.t()
    a1, a2 = _adjacency(views.first), _adjacency(views.second)
    tau = method.config.temperature
    contrast = 0.5 * (
        _one_direction(u, v, a1, a2, saliency, tau) + _one_direction(v, u, a2, a1, saliency, tau)
    )
    loops = torch.arange(graph.num_nodes).repeat(2, 1)
    source, target = torch.cat([graph.edge_index, loops], dim=1)
    return contrast.mean() + mse_loss(r[source], r[target])


def _one_direction(
    u: Tensor, v: Tensor, own: Tensor, other: Tensor, saliency: Tensor, tau: float
) -> Tensor:
    """Return -log(pos / (pos + neg)) for each node of `u`, [N]."""
    intra = torch.exp(normalize(u) @ normalize(u).t() / tau)
    inter = torch.exp(normalize(u) @ normalize(v).t() / tau)
    pos = inter.diag() + (intra * saliency * own).sum(1)
    neg = intra.sum(1) + inter.sum(1) - intra.diag()
    neg = neg - (intra * own).sum(1) - (inter * other).sum(1)
    return -torch.log(pos / (pos + neg))


def _adjacency(view: Data) -> Tensor:
    n = int(view.num_nodes or 0)
    dense = torch.zeros(n, n, dtype=torch.int32)
    dense[view.edge_index[0], view.edge_index[1]] = 1
    return dense
