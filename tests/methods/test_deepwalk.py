"""DeepWalk is hierarchical softmax over uniform walks, and nothing else."""

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.methods.base import Sizes
from homogcl.methods.deepwalk import DeepWalk
from homogcl.methods.walks import random_walks
from homogcl.training.loop import TrainConfig, fit
from tests.graphs import with_isolated

CONFIG = DeepWalk.Config(walks_per_node=4, walk_length=12, window=3, out_dim=8)


def prepared(graph: Data, seed: int = 0, config: DeepWalk.Config = CONFIG) -> DeepWalk:
    method = DeepWalk(config, Sizes.of(graph))
    fit(method, graph, TrainConfig(epochs=0), seed=seed)
    return method


def test_vectors_are_those_of_gensim_with_hierarchical_softmax(block_graph: Data) -> None:
    from gensim.models import Word2Vec

    rng = stream(0, "prepare")
    walks = random_walks(block_graph, CONFIG, rng)
    model = Word2Vec(
        [[str(node) for node in walk] for walk in walks.tolist()],
        vector_size=8,
        window=3,
        sg=1,
        hs=1,
        negative=0,
        sample=0,
        shrink_windows=False,
        min_count=0,
        epochs=1,
        workers=1,
        seed=int(torch.randint(2**31, (1,), generator=rng)),
    )
    expected = torch.stack([torch.tensor(model.wv[str(node)]) for node in range(60)])
    assert torch.equal(prepared(block_graph).embed(block_graph), expected)


def test_same_seed_gives_the_same_vectors(block_graph: Data) -> None:
    one, two, other = (prepared(block_graph, seed).table for seed in (1, 1, 2))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_features_are_not_looked_at(block_graph: Data) -> None:
    other = block_graph.clone()
    other.x = torch.zeros(60, 2)
    assert torch.equal(prepared(block_graph).table, prepared(other).table)


def test_vectors_of_a_block_are_alike(block_graph: Data) -> None:
    config = DeepWalk.Config(walks_per_node=20, walk_length=20, window=5, out_dim=16, passes=3)
    z = torch.nn.functional.normalize(prepared(block_graph, config=config).table)
    cosine = z @ z.t()
    together = block_graph.y[:, None] == block_graph.y[None]
    own = torch.eye(60, dtype=torch.bool)
    assert cosine[together & ~own].mean() > cosine[~together].mean() + 0.1


def test_isolated_nodes_have_the_zero_vector(block_graph: Data) -> None:
    table = prepared(with_isolated(block_graph, 2)).table
    assert not table[60:].any()
    assert bool(table[:60].any(dim=1).all())


def test_features_join_the_vectors(block_graph: Data) -> None:
    both = prepared(block_graph, config=CONFIG.model_copy(update={"with_features": True}))
    assert both.embed(block_graph).shape == (60, 8 + 16)


def test_another_graph_is_refused(block_graph: Data) -> None:
    with pytest.raises(UserError, match="60 nodes"):
        prepared(block_graph).embed(with_isolated(block_graph, 1))
