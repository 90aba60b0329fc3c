"""node2vec: skip-gram over random walks that remember the node before."""

from __future__ import annotations

import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import drawn_seed
from homogcl.methods.base import Method, Sizes
from homogcl.methods.walks import WalkConfig, look_up, random_walks, skip_gram


class Node2Vec(Method):
    """Scalable feature learning for networks (Grover and Leskovec, 2016).

    A walk that came from t to v goes on to x with probability proportional to α(t, x) w(v, x),
    where α is 1/p if x = t, 1 if x is a neighbor of t, and 1/q otherwise. The vectors f are
    learned from the walks by skip-gram with k negatives n drawn by frequency^(3/4):

        min over f, f' of  -Σ_pairs [log σ(f(u)·f'(v)) + Σ_k log σ(-f(u)·f'(n))]

    All of it happens in `prepare`: walks are drawn once and skip-gram goes over them `passes`
    times. As in the paper and unlike gensim's defaults, frequent nodes are not dropped and windows
    do not shrink. Nodes without neighbors have the zero vector.
    """

    name = "Node2Vec"
    training_data = "A"
    transductive = True
    takes_batches = False  # walks go over the whole graph

    class Config(WalkConfig):
        return_parameter: float = Field(default=1.0, gt=0)  # p
        in_out_parameter: float = Field(default=1.0, gt=0)  # q
        negative: int = Field(default=5, ge=1)  # k

    table: Tensor  # f, [N, out_dim]

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.register_buffer("table", torch.zeros(sizes.nodes, config.out_dim))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Draw the walks and learn the vectors."""
        c = self.config
        walks = random_walks(graph, c, rng, p=c.return_parameter, q=c.in_out_parameter)
        seed = drawn_seed(rng)
        self.table.copy_(skip_gram(walks, self.table.size(0), c, negative=c.negative, seed=seed))

    def embed(self, graph: Data) -> Tensor:
        """Return the vectors of the nodes, [N, out_dim] or, with features, [N, out_dim + d]."""
        return look_up(self.table, graph, with_features=self.config.with_features)
