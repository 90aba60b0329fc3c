"""Random walks over a graph, and skip-gram vectors of their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from pydantic import Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.core.extras import optional
from homogcl.nn.layers import dense


class WalkConfig(Config):
    """Settings of the walks, and of the vectors that are learned from them."""

    walks_per_node: int = Field(default=10, ge=1)
    walk_length: int = Field(default=80, ge=2)  # nodes per walk, with the first
    window: int = Field(default=10, ge=1)  # largest distance of a pair in a walk
    out_dim: int = Field(default=128, ge=1)
    passes: int = Field(default=1, ge=1)  # of skip-gram over all walks
    workers: int = Field(default=1, ge=1)  # more are faster, but runs then differ
    with_features: bool = False  # whether `embed` appends the features to the vectors


def random_walks(
    graph: Data, config: WalkConfig, rng: torch.Generator, *, p: float = 1.0, q: float = 1.0
) -> Tensor:
    """Return random walks as rows of node numbers, int32 [W, walk_length].

    Each node with a neighbor starts `walks_per_node` walks; each round starts them in a new
    order. A walk that came from t to v goes on to a neighbor x of v with a probability
    proportional to the weight of the edge (v, x) times 1/p if x is t, 1 if x is a neighbor of t,
    and 1/q otherwise. With p = q = 1 a walk has no memory. The edges of `graph` are sorted and in
    both directions.
    """
    steps = _Steps.of(graph)
    nodes = steps.mass.nonzero().flatten()
    rounds = [
        nodes[torch.randperm(len(nodes), generator=rng, device=rng.device)]
        for _ in range(config.walks_per_node)
    ]
    start = torch.cat(rounds)
    walks = torch.empty(len(start), config.walk_length, dtype=torch.int32, device=start.device)
    walks[:, 0] = start
    edge = steps.first(start, rng)
    for position in range(1, config.walk_length):
        if position > 1:
            edge = steps.following(edge, p, q, rng)
        walks[:, position] = steps.target[edge]
    return walks


def skip_gram(
    walks: Tensor, num_nodes: int, config: WalkConfig, *, negative: int, seed: int
) -> Tensor:
    """Return the input vectors of a skip-gram model of the walks [W, length], [num_nodes, out_dim].

    Nodes that are in no walk have the zero vector. Each pair of nodes at most `window` apart counts
    once per pass: frequent nodes are not dropped and windows do not shrink. There are `negative`
    negatives per pair, or hierarchical softmax for 0.
    """
    problem = "random-walk methods need gensim: run `pip install homogcl[walks]`"
    model = optional("gensim.models", problem).Word2Vec(
        _Sentences(walks),
        vector_size=config.out_dim,
        window=config.window,
        epochs=config.passes,
        workers=config.workers,
        seed=seed,
        negative=negative,
        sg=1,
        hs=int(negative == 0),
        min_count=1,
        sample=0,
        shrink_windows=False,
    )
    vectors = np.zeros((num_nodes, config.out_dim), dtype=np.float32)
    vectors[np.array(model.wv.index_to_key, dtype=np.int64)] = model.wv.vectors
    return torch.from_numpy(vectors)


def look_up(table: Tensor, graph: Data, *, with_features: bool) -> Tensor:
    """Return the vectors of the nodes of `graph`, [N, d], or with features, [N, d + features].

    With features, each half of a row is scaled to length 1 (zero rows stay zero), so that both
    have the same weight.
    """
    if graph.num_nodes != table.size(0):
        raise UserError(
            f"walks give vectors to the {table.size(0)} nodes they were drawn on, and this graph "
            f"has {graph.num_nodes}: train on it"
        )
    if not with_features:
        return table
    normalize = torch.nn.functional.normalize
    return torch.cat([normalize(table), normalize(dense(graph.x))], dim=1)


@dataclass(frozen=True)
class _Steps:
    """The edges on a line, each as long as its weight: a random point draws an edge by weight."""

    target: Tensor  # int64 [E], end of each edge
    line: Tensor  # float64 [E + 1], start of each edge on the line
    weighted: bool
    last: Tensor  # int64 [N], the last edge of each node
    origin: Tensor  # float64 [N], start of each node's edges on the line
    mass: Tensor  # float64 [N], their total length
    keys: Tensor  # int64 [E], source · N + target, sorted
    source: Tensor  # int64 [E]
    reverse: Tensor  # int64 [E], the edge in the other direction

    @classmethod
    def of(cls, graph: Data) -> _Steps:
        """Put the edges of `graph` on a line; refuse edges that walks cannot follow."""
        n = int(graph.num_nodes or 0)
        source, target = graph.edge_index
        if source.numel() == 0:
            raise UserError("random walks need edges, and the graph has none")
        weight = graph.edge_weight
        if weight is not None and not bool((weight > 0).all()):
            raise UserError("random walks need edge weights above 0; leave the other edges out")
        length = torch.ones_like(source) if weight is None else weight
        line = torch.cat([torch.zeros_like(length[:1]), length]).double().cumsum(0)
        ends = torch.bincount(source, minlength=n).cumsum(0)
        origin = line[torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])]
        keys = source * n + target
        back = target * n + source
        reverse = torch.searchsorted(keys, back).clamp(max=len(keys) - 1)
        if not torch.equal(keys[reverse], back):
            raise UserError("random walks need sorted edges, each of them in both directions")
        mass = line[ends] - origin
        return cls(target, line, weight is not None, ends - 1, origin, mass, keys, source, reverse)

    def first(self, node: Tensor, rng: torch.Generator) -> Tensor:
        """Return an edge out of each node, drawn by weight alone, [W]."""
        point = self.origin[node] + self.mass[node] * _uniform(node, rng)
        return self._edge_at(point, node)

    def following(self, edge: Tensor, p: float, q: float, rng: torch.Generator) -> Tensor:
        """Return the edge that each walk takes after `edge`, [W], exactly by rejection.

        The way back is drawn with its own mass. All other edges are proposed with the larger of
        the factors 1 and 1/q; an edge with the smaller factor may be rejected, and the walk draws
        again. A large or small p thus costs no time.
        """
        if p == q == 1:
            return self.first(self.target[edge], rng)
        next_edge = torch.empty_like(edge)
        waiting = torch.arange(len(edge), device=edge.device)
        while len(waiting) > 0:
            arrived = edge[waiting]
            proposal, accepted = self._proposal(arrived, p, q, rng)
            next_edge[waiting[accepted]] = proposal[accepted]
            waiting = waiting[~accepted]
        return next_edge

    def _proposal(
        self, arrived: Tensor, p: float, q: float, rng: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        largest = max(1.0, 1 / q)
        node, back = self.target[arrived], self.reverse[arrived]
        width = self.line[back + 1] - self.line[back]
        way_back = width / p
        onward = (self.mass[node] - width) * largest
        drawn = (way_back + onward) * _uniform(node, rng)
        returns = drawn < way_back
        point = self.origin[node] + (drawn - way_back) / largest
        point = point + width * (point >= self.line[back])  # skips the way back
        proposal = torch.where(returns, back, self._edge_at(point, node))
        factor = torch.full_like(drawn, 1 / q)
        factor[self._joined(self.source[arrived], self.target[proposal])] = 1.0
        return proposal, returns | (largest * _uniform(node, rng) < factor)

    def _edge_at(self, point: Tensor, node: Tensor) -> Tensor:
        if self.weighted:
            edge = torch.searchsorted(self.line, point, right=True) - 1
        else:
            edge = point.long()
        # Rounding may move a point to the edges of the next node.
        return torch.minimum(edge, self.last[node])

    def _joined(self, a: Tensor, b: Tensor) -> Tensor:
        key = a * len(self.mass) + b
        place = torch.searchsorted(self.keys, key).clamp(max=len(self.keys) - 1)
        return self.keys[place] == key


class _Sentences:
    """Walks as sentences of words, which gensim reads several times."""

    def __init__(self, walks: Tensor) -> None:
        self.walks = walks
        self.words = [str(node) for node in range(int(walks.max()) + 1)]

    def __iter__(self) -> Iterator[list[str]]:
        for block in torch.split(self.walks, 4096):
            for walk in block.tolist():
                yield [self.words[node] for node in walk]


def _uniform(like: Tensor, rng: torch.Generator) -> Tensor:
    return torch.rand(like.shape, dtype=torch.float64, generator=rng, device=like.device)
