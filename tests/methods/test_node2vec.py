"""node2vec is skip-gram with negative samples over walks with p and q."""

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.config import validated
from homogcl.core.seeds import stream
from homogcl.methods.base import Sizes
from homogcl.methods.node2vec import Node2Vec
from homogcl.methods.walks import WalkConfig, random_walks
from homogcl.training.loop import TrainConfig, fit

SETTINGS: dict[str, object] = {"walks_per_node": 4, "walk_length": 12, "window": 3, "out_dim": 8}


def prepared(graph: Data, **settings: object) -> Node2Vec:
    method = Node2Vec(validated(Node2Vec.Config, {**SETTINGS, **settings}), Sizes.of(graph))
    fit(method, graph, TrainConfig(epochs=0), seed=0)
    return method


def test_vectors_are_those_of_gensim_over_walks_with_p_and_q(block_graph: Data) -> None:
    from gensim.models import Word2Vec

    rng = stream(0, "prepare")
    walks = random_walks(block_graph, validated(WalkConfig, SETTINGS), rng, p=0.5, q=2)
    model = Word2Vec(
        [[str(node) for node in walk] for walk in walks.tolist()],
        vector_size=8,
        window=3,
        sg=1,
        hs=0,
        negative=7,
        sample=0,
        shrink_windows=False,
        min_count=0,
        epochs=2,
        workers=1,
        seed=int(torch.randint(2**31, (1,), generator=rng)),
    )
    expected = torch.stack([torch.tensor(model.wv[str(node)]) for node in range(60)])
    method = prepared(block_graph, return_parameter=0.5, in_out_parameter=2, negative=7, passes=2)
    assert torch.equal(method.embed(block_graph), expected)


@pytest.mark.parametrize("change", [{"return_parameter": 4}, {"in_out_parameter": 0.25}])
def test_p_and_q_matter(change: dict[str, float], block_graph: Data) -> None:
    assert not torch.equal(prepared(block_graph).table, prepared(block_graph, **change).table)
