"""InfoGCL: views, encoder and contrast, chosen by what they tell about the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import PositiveFloat
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs
from homogcl.losses.infomax import bilinear, jensen_shannon, readout
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.dgi import permutation
from homogcl.methods.mvgrl import diffuse
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.nn.layers import dense
from homogcl.nn.operators import Normalized
from homogcl.views.augment import (
    clean_view,
    drop_edges,
    keep,
    mask_features,
    shuffle_features,
)

View = Literal["clean", "edges", "features", "nodes", "diffusion"]
_RESTART, _DIFFUSION_STEPS = 0.2, 20  # as in MVGRL


@dataclass(frozen=True)
class InfoViews:
    """Two views of one graph, and the order in which their features are corrupted, [N]."""

    first: Data
    second: Data
    order: Tensor


class InfoGCL(Method):
    """InfoGCL (Xu et al., NeurIPS 2021), an interpretation: its authors published no code.

    At each stage, the paper looks for what shares least beyond the task: (i) views with the
    lowest I(v_1; v_2) that preserve I(v; y); (ii) the encoder that keeps least of v and preserves
    I(f(v_1); v_2); (iii) the contrast mode whose representation tells most about y. All three
    depend on the labels y, so validation nodes decide among these settings:

        (i)   view_1, view_2 out of clean, edges, features, nodes, diffusion, and their drop rates
        (ii)  encoder, num_layers, out_dim
        (iii) contrast out of local-local, local-global, hybrid

    One training is one candidate: `tune` searches, and the presets hold the results. local-local
    is InfoNCE between the nodes of both views as in GRACE; local-global separates the nodes of
    each view from corrupted ones by the other view's summary, as in MVGRL; hybrid does both. The
    paper's modes between whole graphs need many graphs; dropping nodes replaces its subgraph view.
    """

    name = "InfoGCL"
    combines = frozenset({Combine.SUM}) | MEANS
    takes_batches = False  # diffused features depend on all nodes

    class Config(EncoderConfig):
        """Settings of InfoGCL: the candidates of its three choices."""

        num_layers: int = 1
        out_dim: int = 512
        activation: Activation = "prelu"
        last_activation: bool = True
        view_1: View = "edges"
        view_2: View = "diffusion"
        drop_1: float = 0.2  # share of edges, feature columns or nodes that view 1 loses
        drop_2: float = 0.2
        contrast: Literal["local-local", "local-global", "hybrid"] = "hybrid"
        temperature: PositiveFloat = 0.5  # τ of local-local

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.combines = frozenset() if config.contrast == "local-global" else self.combines
        self.encoder = Encoder(config, sizes.features)
        self.workspace = Workspace()
        if config.contrast != "local-local":
            weight = torch.empty(config.out_dim, config.out_dim)
            self.discriminator = nn.Parameter(nn.init.xavier_uniform_(weight))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Diffuse the features over the graph if a view needs it."""
        if "diffusion" in (self.config.view_1, self.config.view_2):
            self.diffused = diffused_features(graph)

    def views(self, graph: Data, rng: torch.Generator) -> InfoViews:
        """Return the two views and an order to corrupt them."""
        c = self.config
        return InfoViews(
            self._view(graph, c.view_1, c.drop_1, rng),
            self._view(graph, c.view_2, c.drop_2, rng),
            permutation(graph, rng),
        )

    def objective(self, views: InfoViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of the selected contrast modes."""
        near = self.accept(positives)
        contrast = self.config.contrast
        u, v = self.encoder(views.first), self.encoder(views.second)
        terms = {}
        if contrast != "local-global":
            pairs = (near.within(views.first), near.within(views.second))
            negatives = AllPairs(self.workspace, self.sharing.pairs)
            terms["local-local"] = info_nce(u, v, self.config.temperature, pairs, negatives)
        if contrast != "local-local":
            terms["local-global"] = self._local_global(u, v, views)
        return terms

    def _local_global(self, u: Tensor, v: Tensor, views: InfoViews) -> Tensor:
        w, s_u, s_v = self.discriminator, readout(u), readout(v)
        fake_u = self.encoder(shuffle_features(views.first, views.order))
        fake_v = self.encoder(shuffle_features(views.second, views.order))
        real = torch.cat([bilinear(u, w, s_v), bilinear(v, w, s_u)])
        fake = torch.cat([bilinear(fake_u, w, s_v), bilinear(fake_v, w, s_u)])
        return jensen_shannon(real, fake)

    def _view(self, graph: Data, kind: View, drop: float, rng: torch.Generator) -> Data:
        if kind == "edges":
            return drop_edges(graph, drop, rng)
        if kind == "features":
            return mask_features(graph, drop, rng)
        if kind == "nodes":
            return drop_nodes(graph, drop, rng)
        view = clean_view(graph)
        if kind == "diffusion":
            view.x = self.diffused
        return view


def drop_nodes(graph: Data, probability: float, rng: torch.Generator) -> Data:
    """Return a view in which random nodes lose all their edges; the nodes stay."""
    view = clean_view(graph)
    remains = keep(int(graph.num_nodes or 0), probability, rng).to(graph.edge_index.device)
    source, target = graph.edge_index
    edges = (remains[source] & remains[target]).nonzero().squeeze(1)
    view.edge_index, view.edge_id = graph.edge_index[:, edges], edges
    if graph.edge_weight is not None:
        view.edge_weight = graph.edge_weight[edges]
    return view


def diffused_features(graph: Data) -> Tensor:
    """Return the features diffused by personalized PageRank, S x, dense [N, d]."""
    return diffuse(Normalized.of(graph), dense(graph.x), _RESTART, _DIFFUSION_STEPS)
