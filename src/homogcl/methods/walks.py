"""Random walks over a graph, and the skip-gram vectors of the nodes that they pass."""

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


class WalkConfig(Config):
    """How many walks are drawn, and how vectors are learned from them."""

    walks_per_node: int = Field(default=10, ge=1)
    walk_length: int = Field(default=80, ge=2)  # nodes of a walk, the first one counted
    window: int = Field(default=10, ge=1)  # how far apart in a walk two nodes are still a pair
    out_dim: int = Field(default=128, ge=1)
    passes: int = Field(default=1, ge=1)  # how often skip-gram goes over all walks
    workers: int = Field(default=1, ge=1)  # more are faster, but no two runs then agree
    with_features: bool = False  # whether `embed` puts the features beside the vectors


def random_walks(
    graph: Data,
    walks_per_node: int,
    walk_length: int,
    rng: torch.Generator,
    *,
    return_parameter: float = 1.0,
    in_out_parameter: float = 1.0,
) -> Tensor:
    """Return random walks as rows of node numbers, int32 [W, walk_length].

    Each node with a neighbor starts `walks_per_node` walks; each round starts them in a new
    order. A walk that came from t to v goes on to a neighbor x of v with a probability
    proportional to the weight of the edge (v, x) times 1/p if x is t, 1 if x is a neighbor of t,
    and 1/q otherwise. With p = q = 1 that is the walk without memory.

    Args:
        graph: Edges sorted, in both directions, with weights or without.
        walks_per_node: How many walks start at each node.
        walk_length: How many nodes a walk has.
        rng: Where the draws come from.
        return_parameter: p of node2vec; a large one keeps a walk from turning back.
        in_out_parameter: q of node2vec; a large one keeps a walk near where it came from.
    """
    steps = _Steps.of(graph)
    nodes = steps.mass.nonzero().flatten()
    rounds = [
        nodes[torch.randperm(len(nodes), generator=rng, device=rng.device)]
        for _ in range(walks_per_node)
    ]
    start = torch.cat(rounds)
    walks = torch.empty(len(start), walk_length, dtype=torch.int32, device=start.device)
    walks[:, 0] = start
    edge = steps.first(start, rng)
    for position in range(1, walk_length):
        if position > 1:
            edge = steps.following(edge, return_parameter, in_out_parameter, rng)
        walks[:, position] = steps.target[edge]
    return walks


def skip_gram(
    walks: Tensor, num_nodes: int, config: WalkConfig, *, negative: int, seed: int
) -> Tensor:
    """Return the input vectors of a skip-gram model of the walks, [num_nodes, out_dim].

    Nodes that no walk passes have the zero vector. Every pair of nodes at most `window` apart
    counts once in each pass: frequent nodes are not thinned out and windows do not shrink.

    Args:
        walks: Rows of node numbers, [W, length].
        num_nodes: How many nodes the graph has.
        config: Width, window, passes and workers.
        negative: How many nodes are drawn as negatives of each pair; 0 for hierarchical softmax.
        seed: Of the initial vectors and of the negatives.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise UserError(
            "random-walk methods need gensim: run `pip install homogcl[walks]`"
        ) from None
    model = Word2Vec(
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
    """Return the vectors of the nodes of `graph`, [N, d], or [N, d + features] beside features.

    Beside features, each half of a row is scaled to length 1 (zero rows stay zero), lest the
    one with the larger numbers drown the other.
    """
    if graph.num_nodes != table.size(0):
        raise UserError(
            f"walks give vectors to the {table.size(0)} nodes they were drawn on, and this graph "
            f"has {graph.num_nodes}: train on it"
        )
    if not with_features:
        return table
    x = graph.x.to_dense() if graph.x.layout == torch.sparse_csr else graph.x
    normalize = torch.nn.functional.normalize
    return torch.cat([normalize(table), normalize(x)], dim=1)


@dataclass(frozen=True)
class _Steps:
    """The edges end to end on a line, each as long as its weight, so that a point draws an edge."""

    target: Tensor  # int64 [E], where each edge leads
    line: Tensor  # float64 [E + 1], where on the line each edge begins
    weighted: bool
    last: Tensor  # int64 [N], the last edge of each node
    origin: Tensor  # float64 [N], where on the line the edges of a node begin
    mass: Tensor  # float64 [N], how long they are together
    keys: Tensor  # int64 [E], source · N + target, sorted
    source: Tensor  # int64 [E]
    reverse: Tensor  # int64 [E], the edge that leads back

    @classmethod
    def of(cls, graph: Data) -> _Steps:
        """Lay out the edges of `graph`; refuse those that no walk can follow."""
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

        The way back is drawn with its own mass. All others are drawn as if they had the larger
        of the factors 1 and 1/q, and those whose factor is the smaller are drawn again as often
        as it takes. A large or small p thus costs nothing.
        """
        if p == q == 1:
            return self.first(self.target[edge], rng)
        chosen = torch.empty_like(edge)
        waiting = torch.arange(len(edge), device=edge.device)
        while len(waiting) > 0:
            arrived = edge[waiting]
            proposal, accepted = self._proposal(arrived, p, q, rng)
            chosen[waiting[accepted]] = proposal[accepted]
            waiting = waiting[~accepted]
        return chosen

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
        point = point + width * (point >= self.line[back])  # leaps over the way back
        proposal = torch.where(returns, back, self._edge_at(point, node))
        factor = torch.full_like(drawn, 1 / q)
        factor[self._joined(self.source[arrived], self.target[proposal])] = 1.0
        return proposal, returns | (largest * _uniform(node, rng) < factor)

    def _edge_at(self, point: Tensor, node: Tensor) -> Tensor:
        if self.weighted:
            edge = torch.searchsorted(self.line, point, right=True) - 1
        else:
            edge = point.long()
        # A sum may be rounded up to where the next node's edges begin.
        return torch.minimum(edge, self.last[node])

    def _joined(self, a: Tensor, b: Tensor) -> Tensor:
        key = a * len(self.mass) + b
        place = torch.searchsorted(self.keys, key).clamp(max=len(self.keys) - 1)
        return self.keys[place] == key


class _Sentences:
    """Walks as sentences of words, which can be read again and again."""

    def __init__(self, walks: Tensor) -> None:
        self.walks = walks
        self.words = [str(node) for node in range(int(walks.max()) + 1)]

    def __iter__(self) -> Iterator[list[str]]:
        for block in torch.split(self.walks, 4096):
            for walk in block.tolist():
                yield [self.words[node] for node in walk]


def _uniform(like: Tensor, rng: torch.Generator) -> Tensor:
    return torch.rand(like.shape, dtype=torch.float64, generator=rng, device=like.device)
