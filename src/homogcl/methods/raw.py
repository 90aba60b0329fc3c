"""The features themselves, the baseline of every other method."""

from __future__ import annotations

from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.methods.base import Method, Sizes
from homogcl.nn.layers import dense


class Raw(Method):
    """Raw node features: nothing is learned before the probe."""

    name = "Raw features"
    training_data = "X"

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config

    def embed(self, graph: Data) -> Tensor:
        """Return the features, dense, [N, d]."""
        return dense(graph.x)
