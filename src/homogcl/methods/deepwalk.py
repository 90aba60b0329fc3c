"""DeepWalk: nodes as words, uniform random walks as sentences."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import drawn_seed
from homogcl.methods.base import Method, Sizes
from homogcl.methods.walks import WalkConfig, look_up, random_walks, skip_gram


class DeepWalk(Method):
    """Online learning of social representations (Perozzi et al., 2014).

    Each node v_i has a vector Φ(v_i), learned by skip-gram with hierarchical softmax from
    truncated random walks:

        min over Φ of  -Σ_walks Σ_i Σ_{0 < |j - i| ≤ w} log p(v_j | Φ(v_i))

    All of it happens in `prepare`: walks are drawn once and skip-gram goes over them `passes`
    times. The released code, with a current gensim, also trains negative samples, drops frequent
    nodes and shrinks windows at random; the paper does not, and neither does this method. Walks
    follow edge weights if the graph has them. Nodes without neighbors have the zero vector.
    """

    name = "DeepWalk"
    training_data = "A"
    transductive = True
    takes_batches = False  # walks go over the whole graph

    class Config(WalkConfig):
        """Settings of DeepWalk."""

    table: Tensor  # Φ, [N, out_dim]

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("table", torch.zeros(sizes.nodes, config.out_dim))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Draw the walks and learn the vectors."""
        c = self.config
        walks = random_walks(graph, c, rng)
        seed = drawn_seed(rng)
        self.table.copy_(skip_gram(walks, self.table.size(0), c, negative=0, seed=seed))

    def embed(self, graph: Data) -> Tensor:
        """Return the vectors of the nodes, [N, out_dim] or, with features, [N, out_dim + d]."""
        return look_up(self.table, graph, with_features=self.config.with_features)
