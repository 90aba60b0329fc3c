"""GAE: embeddings whose inner products reconstruct the adjacency."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.losses.reconstruction import negative_pairs, reconstruction
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.encoders import Encoder, EncoderConfig


@dataclass(frozen=True)
class PairViews:
    """The graph, and sampled pairs that are not edges; None means all such pairs."""

    graph: Data
    negatives: Tensor | None


class GAE(Method):
    """Graph autoencoder (Kipf & Welling, 2016).

    A two-layer GCN encodes the graph to Z and the decoder σ(z_iᵀ z_j) predicts A + I:

        L = mean_{A_ij + I_ij = 1} -log σ(z_iᵀ z_j) + mean_{A_ij + I_ij = 0} -log(1 - σ(z_iᵀ z_j))

    which is the cross-entropy with equal weight for edges and other pairs. Up to
    `all_pairs_up_to` nodes all pairs count; on larger graphs each step samples about as many
    pairs as there are positives. The original weights edges by their number without loops,
    halves the loss, holds out edges for link prediction and has no biases; here all edges train.
    """

    name = "GAE"

    class Config(EncoderConfig):
        hidden_dim: int = 32
        out_dim: int = 16
        all_pairs_up_to: int = 5_000  # nodes; on larger graphs, pairs are sampled

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)

    def views(self, graph: Data, rng: torch.Generator) -> PairViews:
        """Return the clean graph, and sampled negative pairs if it is large."""
        return PairViews(graph, other_pairs(graph, self.config.all_pairs_up_to, rng))

    def objective(self, views: PairViews, positives: Positives = Positives.none()) -> Terms:
        """Return the reconstruction loss."""
        z = self.encoder(views.graph)
        return {"reconstruction": reconstruction(z, views.graph.edge_index, views.negatives)}


def other_pairs(graph: Data, all_up_to: int, rng: torch.Generator) -> Tensor | None:
    """Return about as many pairs that are no edges as there are edges and nodes, [2, M].

    None stands for all of them, in a graph of `all_up_to` nodes or fewer.
    """
    n = int(graph.num_nodes or 0)
    if n <= all_up_to:
        return None
    return negative_pairs(graph.edge_index, n, graph.num_edges + n, rng)
