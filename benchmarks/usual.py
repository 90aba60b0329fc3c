"""Methods the usual way: torch_geometric's layers, torch's activations, all pairs at once.

Their views, heads, settings and first weights are those of this package, so that a comparison is of
the computation alone.
"""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.homophily.plugins.adaptive import Adaptive
from homogcl.homophily.positives import Positives
from homogcl.methods.base import Method, Terms
from homogcl.methods.grace import GRACE
from homogcl.methods.negatives import ContrastViews
from homogcl.methods.registry import Sizes, build
from homogcl.nn.activations import PReLU
from homogcl.nn.encoders import Encoder
from homogcl.nn.layers import GCNLayer

Network = TypeVar("Network", bound=nn.Module)


class UsualEncoder(nn.Module):
    """Graph convolutions of torch_geometric over edge lists: a message per edge, summed by node."""

    def __init__(self, encoder: Encoder) -> None:
        """Build layers with the weights of `encoder`, and with its norms and activations."""
        super().__init__()
        self.layers = nn.ModuleList()
        for layer in encoder.layers:
            assert isinstance(layer, GCNLayer)
            usual_layer = GCNConv(*layer.weight.shape)
            usual_layer.lin.weight.data.copy_(layer.weight.data.t())
            self.layers.append(usual_layer)
        self.tails = with_usual_modules(encoder.tails)

    def forward(self, graph: Data) -> Tensor:
        """Return the embeddings, [N, out_dim]."""
        h: Tensor = graph.x.to_dense() if graph.x.layout == torch.sparse_csr else graph.x
        for layer, tail in zip(self.layers, self.tails, strict=True):
            h = tail(layer(h, graph.edge_index))
        return h


class DenseGRACE(GRACE):
    """GRACE on dense N x N similarities; neighbors enter by a mean, with dense weights."""

    def objective(self, views: ContrastViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrastive loss."""
        u, v = (normalize(each) for each in self.compared(views))
        weight = torch.eye(len(u))
        if not positives.is_empty:
            row, col = positives.edge_index
            weight[row, col] = positives.numerator(row, len(u))
        weight = weight / weight.sum(1, keepdim=True)
        sides = ((u, v), (v, u))
        return {"contrast": sum((self._side(a, b, weight) for a, b in sides), u.new_zeros(())) / 2}

    def _side(self, a: Tensor, b: Tensor, weight: Tensor) -> Tensor:
        """Return the loss of the anchors `a` [N, d] with positives in `b`, a scalar."""
        across = a @ b.t() / self.config.temperature
        inside = torch.exp(a @ a.t() / self.config.temperature)
        every = across.exp().sum(1) + inside.sum(1) - inside.diag()
        return (every.log() - (weight * across).sum(1)).mean()


def usual(name: str, settings: dict[str, object], sizes: Sizes) -> Method:
    """Return the method `name` the usual way: grace, grace+adaptive, or one without negatives."""
    base, _, plugin = name.partition("+")
    if base != "grace":
        return with_usual_modules(build(name, settings, sizes, seed=0))
    assert plugin in {"", "adaptive"}
    own = {key: settings[key] for key in GRACE.Config.model_fields} | {"negatives": "exact"}
    dense = DenseGRACE(GRACE.Config.model_validate(own), sizes)
    dense.load_state_dict(build("grace", own, sizes, seed=0).state_dict())
    method: Method = with_usual_modules(dense)
    return Adaptive(method, num_clusters=settings["num_clusters"]) if plugin else method


def with_usual_modules(network: Network) -> Network:
    """Return `network`, whose encoders and activations have become the usual ones."""
    for name, child in network.named_children():
        if isinstance(child, PReLU):
            setattr(network, name, nn.PReLU())
        elif isinstance(child, Encoder):
            is_trained = any(p.requires_grad for p in child.parameters())
            setattr(network, name, UsualEncoder(child).requires_grad_(is_trained))
        else:
            with_usual_modules(child)
    return network
