"""DGI: nodes of the graph against those of a corrupted graph, compared with a summary."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.losses.infomax import bilinear, jensen_shannon, readout
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.views.augment import shuffle_features


@dataclass(frozen=True)
class CorruptedViews:
    """A graph, and the same graph with shuffled features."""

    clean: Data
    corrupted: Data


class DGI(Method):
    """Deep graph infomax (Veličković et al., ICLR 2019).

    One encoder maps the graph to h and the graph with shuffled feature rows to h̃; a bilinear
    discriminator separates them by the summary s = σ(mean h):

        L = mean_i -log σ(h_iᵀ W s) + mean_i -log(1 - σ(h̃_iᵀ W s))

    computed as h (W s) in time O(N d). The released code halves the loss, adds a bias to the
    discriminator and starts W closer to zero.
    """

    name = "DGI"

    class Config(EncoderConfig):
        num_layers: int = 1
        out_dim: int = 512
        activation: Activation = "prelu"
        last_activation: bool = True

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.discriminator = nn.Parameter(torch.empty(config.out_dim, config.out_dim))
        nn.init.xavier_uniform_(self.discriminator)

    def views(self, graph: Data, rng: torch.Generator) -> CorruptedViews:
        """Return the clean graph and a corrupted one."""
        return CorruptedViews(graph, shuffle_features(graph, permutation(graph, rng)))

    def objective(self, views: CorruptedViews, positives: Positives = Positives.none()) -> Terms:
        """Return the loss of the discriminator."""
        h, fake = self.encoder(views.clean), self.encoder(views.corrupted)
        s = readout(h)
        w = self.discriminator
        return {"infomax": jensen_shannon(bilinear(h, w, s), bilinear(fake, w, s))}


def permutation(graph: Data, rng: torch.Generator) -> Tensor:
    """Return a random order of the nodes, int64 [N]."""
    order = torch.randperm(int(graph.num_nodes or 0), generator=rng, device=rng.device)
    return order.to(graph.edge_index.device)
