"""HDI: infomax with the graph's summary, with the node's features, and with both together."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.losses.infomax import bilinear, jensen_shannon, readout
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.dgi import permutation
from homogcl.nn.encoders import Encoder, EncoderConfig
from homogcl.nn.layers import DenseLayer, Rows, multiply
from homogcl.nn.operators import edge_weights
from homogcl.views.augment import shuffle_features


@dataclass(frozen=True)
class ShuffledViews:
    """A graph, the same graph with shuffled features, and the order of the shuffle, [N]."""

    clean: Data
    corrupted: Data
    order: Tensor


class HDI(Method):
    """High-order deep infomax (Jing et al., WWW 2021), for graphs with one relation.

    With s = σ(mean h), h̃ from shuffled features x̃, and J the joint discriminator's signal,

        L = λ_E [h_iᵀ W_E s against h̃_iᵀ W_E s]             extrinsic: the graph
          + λ_I [h_iᵀ W_I x_i against h̃_iᵀ W_I x_i]         intrinsic: the node's features
          + λ_J [h_iᵀ W_J J(s, x_i) against h_iᵀ W_J J(s, x̃_i)]    both
        J(s, x) = σ(W_z [σ(W_s s) ; σ(W_x x)])

    where [a against b] = mean -log σ(a) + mean -log(1 - σ(b)). The encoder is one GCN layer on
    A + 3I. The released code gives its discriminators biases and halves each part.
    """

    name = "HDI"

    class Config(EncoderConfig):
        num_layers: int = 1
        out_dim: int = 128
        last_activation: bool = True
        self_loop_weight: float = 3.0  # of I in A + 3I
        extrinsic_weight: float = 1.0  # λ_E
        intrinsic_weight: float = 2.0  # λ_I
        joint_weight: float = 1e-3  # λ_J

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        d = config.out_dim
        self.encoder = Encoder(config, sizes.features)
        self.extrinsic = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d, d)))
        self.intrinsic = nn.Parameter(nn.init.xavier_uniform_(torch.empty(sizes.features, d)))
        self.joint = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d, d)))
        self.of_summary = DenseLayer(d, d)
        self.of_features = DenseLayer(sizes.features, d)
        self.of_both = DenseLayer(2 * d, d)

    def views(self, graph: Data, rng: torch.Generator) -> ShuffledViews:
        """Return the graph and a corrupted one, both with heavy self-loops."""
        order = permutation(graph, rng)
        clean = self._with_loops(graph)
        return ShuffledViews(clean, shuffle_features(clean, order), order)

    def objective(self, views: ShuffledViews, positives: Positives = Positives.none()) -> Terms:
        """Return the losses of the three discriminators."""
        x = views.clean.x
        h, fake = self.encoder(views.clean), self.encoder(views.corrupted)
        s = readout(h)
        own = multiply(x, self.intrinsic)  # [N, d]
        of_x = self.of_features(x, Rows()).sigmoid()
        judge = h @ self.joint
        return {
            "extrinsic": jensen_shannon(
                bilinear(h, self.extrinsic, s), bilinear(fake, self.extrinsic, s)
            ),
            "intrinsic": jensen_shannon((h * own).sum(1), (fake * own).sum(1)),
            "joint": jensen_shannon(
                (judge * self._signal(s, of_x)).sum(1),
                (judge * self._signal(s, of_x[views.order])).sum(1),
            ),
        }

    def term_weights(self) -> dict[str, float]:
        """Return λ_E, λ_I and λ_J."""
        c = self.config
        weights = (c.extrinsic_weight, c.intrinsic_weight, c.joint_weight)
        return dict(zip(("extrinsic", "intrinsic", "joint"), weights, strict=True))

    def embed(self, graph: Data) -> Tensor:
        """Return the encoder's output, [N, out_dim]."""
        h: Tensor = self.encoder(self._with_loops(graph))
        return h

    def _signal(self, s: Tensor, of_x: Tensor) -> Tensor:
        of_s = self.of_summary(s, Rows()).sigmoid().expand_as(of_x)
        signal: Tensor = self.of_both(torch.cat([of_s, of_x], dim=1), Rows()).sigmoid()
        return signal  # [N, d]

    def _with_loops(self, graph: Data) -> Data:
        """Return the graph with edge weights divided by the loops' weight, which then is 1."""
        view = copy.copy(graph)
        view.edge_weight = edge_weights(graph) / self.config.self_loop_weight
        return view
