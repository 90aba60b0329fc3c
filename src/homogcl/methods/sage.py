"""GraphSAGE: the supervised network that averages over neighbors."""

from __future__ import annotations

from homogcl.methods.base import Sizes
from homogcl.methods.supervised import Network, Supervised, SupervisedConfig, layer_sizes
from homogcl.nn.layers import SAGELayer


class SAGE(Supervised):
    """Inductive representation learning on large graphs (Hamilton et al., 2017).

        h_i = ReLU(W_root x_i + W_mean mean_{j in N(i)} x_j)

    with the mean aggregator, all neighbors instead of a sample, and no normalization of the rows:
    the full-graph form of the Open Graph Benchmark.
    """

    name = "GraphSAGE"
    training_data = "X, A, Y"

    class Config(SupervisedConfig):
        """Settings of GraphSAGE."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        layers = [SAGELayer(*widths) for widths in layer_sizes(config, sizes)]
        super().__init__(config, Network(layers, SAGELayer.structure, config.hidden_dim, config))
