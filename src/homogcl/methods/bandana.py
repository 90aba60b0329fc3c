"""Bandana: edges are predicted, after every layer, by how much of them the layer let through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import torch
from pydantic import Field, PositiveFloat, PositiveInt, model_validator
from torch import Tensor
from torch.nn.functional import softplus
from torch_geometric.data import Data
from torch_geometric.utils import softmax

from homogcl.core.seeds import drawn_seed
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.edge_prediction import edge_loss
from homogcl.losses.reconstruction import negative_pairs
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.decoders import EdgeDecoder
from homogcl.nn.dropout import dropped
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig
from homogcl.nn.layers import Layer
from homogcl.nn.sparse import Pattern
from homogcl.views.mask import at_most


@dataclass(frozen=True)
class BandwidthViews:
    """The graph, the bandwidths of its edges, and the pairs that are to be told apart."""

    graph: Data
    bandwidths: Tensor  # of each layer, [L, E]
    forth: Tensor  # positions of the predicted edges, one direction of each, int64 [M]
    back: Tensor  # positions of their other directions, int64 [M]
    others: Tensor  # pairs that are no edges, [2, M']
    dropout_seed: int


class Bandana(Method):
    """Masked graph autoencoder with non-discrete bandwidths (Zhao et al., 2024).

    No edge is removed. Each layer draws bandwidths ω of its own: the softmax of normal numbers over
    the edges into a node, at a temperature. They are the edges' weights in the layer, and after
    each layer, whose vectors are h, one small network d tells edges E from as many other pairs R:

        L = mean over layers of  mean_{ij∈E} -ω_ij log σ(d(h_i * h_j))
                                 + mean_{ij∈R} -log(1 - σ(d(h_i * h_j)))

    d is the same in both directions of an edge, so each edge is predicted once, with both of its
    bandwidths. All layers have one width. The authors' embeddings are all layers side by
    side: the presets set that form.

    With `positives` the bandwidth of an edge in the loss is multiplied by its weight; under a mean
    all of them together weigh as much as before.
    """

    name = "Bandana"
    combines = frozenset({Combine.TERM}) | MEANS

    class Config(EncoderConfig):
        hidden_dim: int = 256
        out_dim: int = 256
        activation: Activation = "elu"
        last_activation: bool = True
        norm: Literal["none", "batch", "layer"] = "batch"
        dropout: float = Field(default=0.5, ge=0, lt=1)  # before each layer of the encoder
        temperature: PositiveFloat = 1.0  # of the softmax
        num_pairs: PositiveInt = 32_768  # the most edges that a step predicts
        decoder_dim: int = 64  # hidden width of the decoder
        decoder_dropout: float = Field(default=0.2, ge=0, lt=1)

        @model_validator(mode="after")
        def _one_width(self) -> Self:
            if self.num_layers > 1 and self.hidden_dim != self.out_dim:
                raise ValueError(
                    f"hidden_dim={self.hidden_dim} and out_dim={self.out_dim} differ: one decoder "
                    "reads all layers"
                )
            return self

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.decoder = EdgeDecoder(config.out_dim, config.decoder_dim, config.decoder_dropout)

    def views(self, graph: Data, rng: torch.Generator) -> BandwidthViews:
        """Draw bandwidths, the edges to predict, other pairs and the seed of the dropout."""
        c, n = self.config, int(graph.num_nodes or 0)
        target = graph.edge_index[1]
        size = (c.num_layers, graph.num_edges)
        scores = torch.randn(size, generator=rng, device=rng.device).to(graph.x)
        reverse = Pattern.of(graph.edge_index, n).to_transposed
        forth = (graph.edge_index[0] < target).nonzero().squeeze(1)
        forth = at_most(forth, c.num_pairs, rng)
        seed = drawn_seed(rng)
        return BandwidthViews(
            graph,
            softmax(scores / c.temperature, target, num_nodes=n, dim=1),
            forth,
            reverse[forth],
            negative_pairs(graph.edge_index, n, forth.numel(), rng),
            seed,
        )

    def objective(self, views: BandwidthViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of edges and of other pairs, averaged over the layers."""
        near = self.accept(positives)
        rng = torch.Generator(device=views.forth.device).manual_seed(views.dropout_seed)
        edges = views.graph.edge_index[:, views.forth]
        both = torch.cat([views.forth, views.back])
        of_edges, of_others = [], []
        for h, bandwidth in zip(self._outputs(views, rng), views.bandwidths, strict=True):
            losses = softplus(-self.decoder(h, edges, rng)).repeat(2)
            of_edges.append(edge_loss(losses, bandwidth[both], near, both))
            others = softplus(self.decoder(h, views.others, rng))
            of_others.append(others.sum() / max(others.numel(), 1))
        return {
            "neighbors": torch.stack(of_edges).mean(),
            "others": torch.stack(of_others).mean(),
        }

    def _outputs(self, views: BandwidthViews, rng: torch.Generator) -> list[Tensor]:
        """Return the outputs of all layers, each through its own bandwidths, [N, d] each."""
        graph, outputs = views.graph, []
        h: Tensor = graph.x
        layers = zip(self.encoder.layers, self.encoder.tails, views.bandwidths, strict=True)
        for layer, tail, bandwidth in layers:
            assert isinstance(layer, Layer)
            view = Data(x=graph.x, edge_index=graph.edge_index, num_nodes=graph.num_nodes)
            view.edge_weight = bandwidth
            h = tail(layer(dropped(h, self.config.dropout, rng), layer.structure(view)))
            outputs.append(h)
        return outputs
