"""GCN: the supervised graph convolutional network."""

from __future__ import annotations

from pydantic import Field

from homogcl.methods.base import Sizes
from homogcl.methods.supervised import Network, Supervised, SupervisedConfig, layer_sizes
from homogcl.nn.layers import GCNLayer


class GCN(Supervised):
    """Semi-supervised classification with graph convolutional networks (Kipf & Welling, 2017).

        Z = Â ReLU(Â X W_0) W_1,   Â = D̃^-1/2 (A + I) D̃^-1/2

    with dropout on X and on the hidden layer, and weight decay on W_0 alone. Unlike in the
    released code, layers have biases, as in all later code, and the best epoch on validation
    counts, not the last one before a stopping rule.
    """

    name = "GCN"
    training_data = "X, A, Y"

    class Config(SupervisedConfig):
        first_layer_decay: float = Field(default=5e-4, ge=0)

    def __init__(self, config: Config, sizes: Sizes) -> None:
        layers = [GCNLayer(*widths) for widths in layer_sizes(config, sizes)]
        super().__init__(config, Network(layers, GCNLayer.structure, config.hidden_dim, config))
