"""GAT: the supervised graph attention network."""

from __future__ import annotations

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch_geometric.data import Data

from homogcl.methods.base import Sizes
from homogcl.methods.supervised import Network, Supervised, SupervisedConfig, layer_sizes
from homogcl.nn.attention import attend, attention, pairs_into
from homogcl.nn.layers import multiply
from homogcl.nn.sparse import Pattern


class GAT(Supervised):
    """Graph attention networks (Veličković et al., 2018).

        h_i = ELU(∥_k Σ_{j in N(i) ∪ {i}} α^k_ij W^k x_j)
        α^k_ij = softmax_j LeakyReLU_0.2(a^k · [W^k x_i ∥ W^k x_j])

    with dropout on the input of each layer and on α. The heads of hidden layers are concatenated,
    those of the last layer averaged. Training runs a fixed number of epochs and keeps the best
    one on validation; the released code stops once neither validation accuracy nor loss has
    improved for 100 epochs. Edge weights are not used.
    """

    name = "GAT"
    training_data = "X, A, Y"

    class Config(SupervisedConfig):
        """Settings of GAT; `hidden_dim` is the width of one head."""

        hidden_dim: int = Field(default=8, ge=1)
        heads: int = Field(default=8, ge=1)
        output_heads: int = Field(default=1, ge=1)
        input_dropout: float = Field(default=0.6, ge=0, lt=1)
        dropout: float = Field(default=0.6, ge=0, lt=1)
        attention_dropout: float = Field(default=0.6, ge=0, lt=1)

    def __init__(self, config: Config, sizes: Sizes) -> None:
        widths = layer_sizes(config, sizes)
        layers = []
        for index, (fan_in, fan_out) in enumerate(widths):
            last = index == len(widths) - 1
            heads = config.output_heads if last else config.heads
            joined = fan_in if index == 0 else fan_in * config.heads
            layer = AttentionLayer(joined, fan_out, heads, config.attention_dropout)
            layers.append(layer if not last else HeadMean(layer))
        network = Network(
            layers, AttentionLayer.structure, config.hidden_dim * config.heads, config, "elu"
        )
        super().__init__(config, network)


class AttentionLayer(nn.Module):
    """The map x -> Σ_j α^k_ij W^k x_j + b with the K heads concatenated; no row per edge."""

    def __init__(self, fan_in: int, head_dim: int, heads: int, attention_dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attention_dropout = attention_dropout
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(fan_in, heads * head_dim)))
        self.toward = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, head_dim)))
        self.away = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, head_dim)))
        self.bias = nn.Parameter(torch.zeros(heads * head_dim))

    @staticmethod
    def structure(graph: Data) -> Pattern:
        """Return the pairs (target, source) of all edges and self-loops."""
        return pairs_into(graph)

    def forward(self, x: Tensor, pairs: Pattern) -> Tensor:
        """Return the layer's output, [N, heads · head_dim]."""
        h = multiply(x, self.weight)
        by_head = h.view(len(h), self.heads, -1)
        toward = (by_head * self.toward).sum(dim=-1)  # [N, K]
        away = (by_head * self.away).sum(dim=-1)
        alpha = dropout(attention(toward, away, pairs), self.attention_dropout, self.training)
        return attend(alpha, h, pairs) + self.bias


class HeadMean(nn.Module):
    """The mean over the heads of an attention layer."""

    def __init__(self, layer: AttentionLayer) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, pairs: Pattern) -> Tensor:
        """Return the mean, [N, head_dim]."""
        h: Tensor = self.layer(x, pairs)
        return h.view(len(h), self.layer.heads, -1).mean(dim=1)
