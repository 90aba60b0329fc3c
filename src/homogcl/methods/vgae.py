"""VGAE: the variational autoencoder of a graph's adjacency."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.losses.reconstruction import gaussian_kl, reconstruction
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.gae import GAE, other_pairs
from homogcl.nn.encoders import Encoder

_MAX_LOG_STD = 10.0  # as in torch_geometric: beyond it, exp soon leaves float32


@dataclass(frozen=True)
class NoisyViews:
    """The graph, sampled pairs that are not edges (None: all), and the noise ε, [N, out_dim]."""

    graph: Data
    negatives: Tensor | None
    noise: Tensor


class VGAE(Method):
    """Variational graph autoencoder (Kipf & Welling, 2016).

    A GCN whose last layer gives μ_i and log σ_i, a sample z_i = μ_i + σ_i ε_i, the decoder
    σ(z_iᵀ z_j), and the negative evidence bound per pair of nodes:

        L = L_GAE(Z) + (2 / N) mean_i KL(N(μ_i, σ_i²) ‖ N(0, 1))

    L_GAE is the reconstruction loss of GAE, over all or sampled pairs. The factor is that of the
    released code, which halves both parts. The embeddings are μ. One last layer of twice the
    width replaces the two heads: the same network, with the Glorot range of the wide layer.
    """

    name = "VGAE"

    class Config(GAE.Config):
        """Settings of VGAE."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        wide = config.model_copy(update={"out_dim": 2 * config.out_dim})
        self.encoder = Encoder(wide, sizes.features)

    def views(self, graph: Data, rng: torch.Generator) -> NoisyViews:
        """Return the clean graph, noise, and sampled negative pairs if the graph is large."""
        n = int(graph.num_nodes or 0)
        noise = torch.randn(n, self.config.out_dim, generator=rng, device=rng.device)
        negatives = other_pairs(graph, self.config.all_pairs_up_to, rng)
        return NoisyViews(graph, negatives, noise.to(graph.edge_index.device))

    def objective(self, views: NoisyViews, positives: Positives = Positives.none()) -> Terms:
        """Return the reconstruction loss of a sample and the divergence from the prior."""
        mu, log_std = self.encoder(views.graph).chunk(2, dim=1)
        log_std = log_std.clamp(max=_MAX_LOG_STD)
        z = mu + log_std.exp() * views.noise
        return {
            "reconstruction": reconstruction(z, views.graph.edge_index, views.negatives),
            "kl": gaussian_kl(mu, log_std) * (2 / mu.size(0)),
        }

    def embed(self, graph: Data) -> Tensor:
        """Return μ, [N, out_dim]."""
        mu: Tensor = self.encoder(graph)[:, : self.config.out_dim]
        return mu
