"""A generated graph that resembles a citation network, of any size and homophily.

Each node has a class and leans, more or less, to a second one. Edges follow a degree-corrected
stochastic block model whose degrees have a power-law tail: edges across classes mostly start at
nodes that lean, and end in their second class. Words follow a topic model with one topic per class
and one that all share; nodes that lean use words of their second class too. So some nodes are
hard to tell from their words, some from their neighbors, and some from both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import numpy_stream
from homogcl.data.edges import undirected
from homogcl.data.features import compact, sparse_features

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

_DEGREE_EXPONENT = 2.8  # γ of P(degree) ~ degree^-γ in the tail
_DEGREE_OFFSET = 2.0  # least expected degree, in units of the tail's scale: few nodes are isolated
_LEAN = (0.4, 0.9)  # Beta distribution of the share of a node that belongs to its second class
_WORDS_PER_NODE = 18.0
_MAX_ROUNDS = 100


@dataclass(frozen=True)
class _Membership:
    """Each node's class [N], the other class that it leans to [N], and how far (0 to 1) [N]."""

    first: _Ints
    second: _Ints
    lean: _Floats


def citation_graph(
    num_nodes: int = 2500,
    num_classes: int = 7,
    num_words: int = 600,
    *,
    mean_degree: float = 5.0,
    homophily: float = 0.8,
    topic_share: float = 0.6,
    seed: int = 0,
) -> Data:
    """Return a generated graph with `x` [N, words] of 0 and 1, `edge_index` and `y`, but no masks.

    Args:
        num_nodes: Number of nodes N.
        num_classes: Number of classes, whose sizes fall off slowly; labels come in random order.
        num_words: Number of words, that is of features.
        mean_degree: Mean number of neighbors; the number of edges is exact.
        homophily: Share of edges within a class, exact up to rounding.
        topic_share: Share of a node's words that is drawn from topics of classes; the rest is
            drawn from the topic that all share, and tells nothing.
        seed: Root of the random streams; labels, edges and words have a stream each.
    """
    if not 2 <= num_classes <= num_nodes:
        raise UserError(f"num_classes is {num_classes}: it must lie in 2 to {num_nodes} (nodes)")
    if num_words < 1 or mean_degree <= 0:
        raise UserError("num_words and mean_degree must be positive")
    if not (0 <= homophily <= 1 and 0 <= topic_share <= 1):
        shares = f"homophily={homophily:g} and topic_share={topic_share:g}"
        raise UserError(f"{shares} are shares: they must lie in 0 to 1")

    membership = _membership(num_nodes, num_classes, numpy_stream(seed, "generate classes"))
    num_pairs = round(num_nodes * mean_degree / 2)
    pairs = _pairs(membership, num_pairs, homophily, numpy_stream(seed, "generate edges"))
    words = _words(membership, num_words, topic_share, numpy_stream(seed, "generate words"))
    edge_index, _ = undirected(torch.from_numpy(pairs), num_nodes)
    y = torch.from_numpy(membership.first)
    return Data(x=compact(sparse_features(words)), edge_index=edge_index, y=y)


def _membership(num_nodes: int, num_classes: int, rng: np.random.Generator) -> _Membership:
    share = 1 / np.sqrt(1 + np.arange(num_classes))
    # One node per class is certain, so that no class is ever empty.
    drawn = rng.choice(num_classes, num_nodes - num_classes, p=share / share.sum())
    first = rng.permutation(np.concatenate([np.arange(num_classes), drawn]).astype(np.int64))
    second = (first + rng.integers(1, num_classes, num_nodes)) % num_classes
    return _Membership(first, second, rng.beta(*_LEAN, num_nodes))


def _pairs(
    membership: _Membership, num_pairs: int, homophily: float, rng: np.random.Generator
) -> _Ints:
    """Return pairs of different nodes [2, E / 2], each once, `homophily` of them within a class."""
    first, second, lean = membership.first, membership.second, membership.lean
    tail = rng.pareto(_DEGREE_EXPONENT - 1, len(first))
    # No node may expect more neighbors than the square root of all ends, else pairs repeat.
    weight = np.minimum(_DEGREE_OFFSET + tail, np.sqrt(2 * num_pairs))
    within, across = weight * (1 - lean), weight * lean
    num_within = round(homophily * num_pairs)
    keys = np.concatenate(
        [
            _distinct(_Blocks(first, first, within, within), num_within, rng),
            _distinct(_Blocks(first, second, across, weight), num_pairs - num_within, rng),
        ]
    )
    return np.stack([keys // len(first), keys % len(first)])


class _Blocks:
    """Draws a source in proportion to its weight, then a target in the class it asks for."""

    def __init__(
        self, label: _Ints, target_label: _Ints, source_weight: _Floats, target_weight: _Floats
    ) -> None:
        self.label, self.target_label = label, target_label
        self.source_end = np.cumsum(source_weight)
        # Targets lie class by class, so that each class is one stretch of their summed weight.
        self.by_class = np.argsort(label, kind="stable")
        self.target_end = np.cumsum(target_weight[self.by_class])
        last = np.cumsum(np.bincount(label)) - 1
        self.stretch = np.concatenate([[0.0], self.target_end[last]])

    def draw(self, count: int, rng: np.random.Generator) -> _Ints:
        """Return up to `count` pairs of different nodes as keys `smaller * N + larger`."""
        source = _position(self.source_end, rng.random(count) * self.source_end[-1])
        label = self.target_label[source]
        start, end = self.stretch[label], self.stretch[label + 1]
        level = start + rng.random(count) * (end - start)
        target = self.by_class[_position(self.target_end, level)]
        # Rounding may carry a target over the border of its class.
        valid = (source != target) & (self.label[target] == label)
        small, large = np.minimum(source, target)[valid], np.maximum(source, target)[valid]
        keys: _Ints = small * len(self.label) + large
        return keys


def _position(end: _Floats, level: _Floats) -> _Ints:
    """Return where each level falls on a line cut at `end`; rounding past its last cut included."""
    position: _Ints = np.minimum(np.searchsorted(end, level, side="right"), len(end) - 1)
    return position


def _distinct(blocks: _Blocks, count: int, rng: np.random.Generator) -> _Ints:
    """Return exactly `count` different pairs as keys, drawing on until there are enough."""
    keys = np.empty(0, dtype=np.int64)
    for _ in range(_MAX_ROUNDS):
        if len(keys) >= count:
            return keys[np.sort(rng.permutation(len(keys))[:count])]
        lacking = count - len(keys)
        keys = np.sort(np.concatenate([keys, blocks.draw(lacking + lacking // 8 + 8, rng)]))
        keys = keys[np.flatnonzero(np.diff(keys, prepend=-1))]
    raise UserError(
        f"only {len(keys)} of {count} edges found a place; lower mean_degree, change homophily or "
        "ask for more nodes"
    )


def _words(
    membership: _Membership, num_words: int, topic_share: float, rng: np.random.Generator
) -> scipy.sparse.csr_matrix:
    """Return which words each node holds, as CSR [N, words] of 0 and 1."""
    num_nodes, num_classes = len(membership.first), int(membership.first.max()) + 1
    zipf = 1 / (1 + np.arange(num_words))
    # Row c is the topic of class c, the last row the shared one: Zipf over its own word order.
    topics = np.stack([rng.permutation(zipf / zipf.sum()) for _ in range(num_classes + 1)])
    # Each topic fills one unit of the line, so that one search serves all of them.
    end = (np.cumsum(topics, axis=1) + np.arange(num_classes + 1)[:, None]).ravel()

    length = rng.poisson(_WORDS_PER_NODE, num_nodes)
    level = rng.random(int(length.sum()))
    topic = np.where(
        level < np.repeat(topic_share * membership.lean, length),
        np.repeat(membership.second, length),
        np.repeat(membership.first, length),
    )
    topic[level >= topic_share] = num_classes
    word = np.searchsorted(end, topic + rng.random(len(topic)), side="right") - topic * num_words

    words = scipy.sparse.csr_matrix(
        (
            np.ones(len(word), dtype=np.float32),
            word.clip(0, num_words - 1),  # rounding may step over a topic's border
            np.concatenate([[0], np.cumsum(length)]),
        ),
        shape=(num_nodes, num_words),
    )
    words.sum_duplicates()
    words.data[:] = 1
    return words
