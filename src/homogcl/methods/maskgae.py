"""MaskGAE: edges are predicted from a graph that lacks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import Field, PositiveInt
from torch import Tensor
from torch.nn.functional import softplus
from torch_geometric.data import Data

from homogcl.core.config import Probability
from homogcl.core.seeds import drawn_seed
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.edge_prediction import edge_loss
from homogcl.losses.reconstruction import negative_pairs
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.decoders import EdgeDecoder
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig, dropped_inputs
from homogcl.views.mask import Unit, at_most, mask_edges


@dataclass(frozen=True)
class MaskedViews:
    """What is left of a graph, and the pairs that are to be told apart."""

    visible: Data
    hidden: Tensor  # positions among the graph's edges, int64 [M]
    edges: Tensor  # the pairs at these positions, [2, M]
    others: Tensor  # pairs that are no edges, [2, M']
    dropout_seed: int


class MaskGAE(Method):
    """Masked graph autoencoder that hides edges (Li et al., 2023).

    Each step hides a share of the edges and encodes the rest to Z, with dropout before each layer.
    A small network d(z_i * z_j) tells hidden edges H from about as many pairs R that are no edges:

        L = mean_{ij∈H} -log σ(d(z_i * z_j)) + mean_{ij∈R} -log(1 - σ(d(z_i * z_j)))

    As in the authors' code each direction of an edge is hidden for itself, and an edge is encoded
    as long as one direction is left. With `hide="edge"` both directions are hidden together, and no
    edge that is predicted is encoded. There is no loss of degrees. The authors' embeddings are all
    layers side by side: the presets set that form.

    With `positives` a hidden edge counts by its weight S_ij in the first mean, whose count stays
    that of the edges; under a mean all edges together weigh as much as before.
    """

    name = "MaskGAE"
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig):
        hidden_dim: int = 128
        out_dim: int = 64
        activation: Activation = "elu"
        last_activation: bool = True
        norm: Literal["none", "batch", "layer"] = "batch"
        dropout: float = Field(default=0.8, ge=0, lt=1)  # before each layer of the encoder
        hide_edge: Probability = 0.7
        hide: Unit = "direction"
        num_pairs: PositiveInt = 65_536  # the most hidden edges that a step predicts
        decoder_dim: int = 32  # hidden width of the decoder
        decoder_dropout: float = Field(default=0.2, ge=0, lt=1)

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.decoder = EdgeDecoder(config.out_dim, config.decoder_dim, config.decoder_dropout)

    def views(self, graph: Data, rng: torch.Generator) -> MaskedViews:
        """Hide edges, and draw other pairs and the seed of the dropout."""
        c, edge_index = self.config, graph.edge_index
        visible, hidden = mask_edges(graph, c.hide_edge, c.hide, rng)
        hidden = at_most(hidden, c.num_pairs, rng)
        others = negative_pairs(edge_index, int(graph.num_nodes or 0), hidden.numel(), rng)
        return MaskedViews(visible, hidden, edge_index[:, hidden], others, drawn_seed(rng))

    def objective(self, views: MaskedViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of hidden edges and of other pairs."""
        near = self.accept(positives)
        rng = torch.Generator(device=views.edges.device).manual_seed(views.dropout_seed)
        with dropped_inputs(self.encoder, self.config.dropout, rng):
            z = self.encoder(views.visible)
        edges = softplus(-self.decoder(z, views.edges, rng))
        others = softplus(self.decoder(z, views.others, rng))
        return {
            "neighbors": edge_loss(edges, torch.ones_like(edges), near, views.hidden),
            # A step may have no pair at all.
            "others": others.sum() / max(others.numel(), 1),
        }
