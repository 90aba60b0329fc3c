"""MLP: the supervised network without edges."""

from __future__ import annotations

from pydantic import Field

from homogcl.methods.base import Sizes
from homogcl.methods.supervised import Network, Supervised, SupervisedConfig, layer_sizes
from homogcl.nn.layers import DenseLayer


class MLP(Supervised):
    """Multilayer perceptron on the features alone: Z = ReLU(X W_0 + b_0) W_1 + b_1.

    It is the baseline of GCN in Kipf & Welling (2017), with their dropout and weight decay; the
    best epoch on validation counts.
    """

    name = "MLP"
    training_data = "X, Y"

    class Config(SupervisedConfig):
        """Settings of the perceptron."""

        first_layer_decay: float = Field(default=5e-4, ge=0)

    def __init__(self, config: Config, sizes: Sizes) -> None:
        layers = [DenseLayer(*widths) for widths in layer_sizes(config, sizes)]
        super().__init__(config, Network(layers, DenseLayer.structure, config.hidden_dim, config))
