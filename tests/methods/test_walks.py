"""Walks take each step with exactly the probability that the model states."""

import itertools
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.walks import WalkConfig, look_up, random_walks, skip_gram

# Triangles, a square, a leaf and a hub: each of the three factors of node2vec occurs.
PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 2), (2, 6), (6, 7), (3, 6), (1, 8)]

Transitions = dict[tuple[int, int], dict[int, float]]


def walking(walks_per_node: int, walk_length: int) -> WalkConfig:
    return WalkConfig(walks_per_node=walks_per_node, walk_length=walk_length)


def undirected(pairs: list[tuple[int, int]], nodes: int, weighted: bool = False) -> Data:
    both = sorted({(a, b) for a, b in pairs} | {(b, a) for a, b in pairs})
    graph = Data(
        edge_index=torch.tensor(both, dtype=torch.long).reshape(-1, 2).t(),
        x=torch.eye(nodes),
        num_nodes=nodes,
    )
    if weighted:
        graph.edge_weight = torch.tensor([1.0 + (3 * min(e) + 5 * max(e)) % 7 for e in both])
    return graph


def enumerated(graph: Data, p: float, q: float) -> Transitions:
    """Probability of each next node x after the step from t to v, by enumeration."""
    edges = [(int(a), int(b)) for a, b in graph.edge_index.t()]
    weights = [1.0] * len(edges) if graph.edge_weight is None else graph.edge_weight.tolist()
    weight = dict(zip(edges, weights, strict=True))
    table: Transitions = {}
    for t, v in edges:
        mass = {}
        for a, x in edges:
            if a == v:
                alpha = 1 / p if x == t else 1.0 if (t, x) in weight else 1 / q
                mass[x] = alpha * weight[v, x]
        table[t, v] = {x: m / sum(mass.values()) for x, m in mass.items()}
    return table


def p_values(walks: list[list[int]], expected: Transitions) -> list[float]:
    """Chi-square test of the observed steps after each (t, v) that has a choice."""
    counts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for walk in walks:
        for t, v, x in zip(walk, walk[1:], walk[2:], strict=False):
            counts[t, v][x] += 1
    assert set(counts) == set(expected)
    result = []
    for step, distribution in expected.items():
        assert set(counts[step]) <= set(distribution)
        total = counts[step].total()
        if len(distribution) > 1:
            observed = [counts[step][x] for x in distribution]
            result.append(float(chisquare(observed, [total * f for f in distribution.values()])[1]))
    return result


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.25, 4), (4, 0.25), (0.1, 1), (1, 3), (20, 0.5)])
def test_steps_follow_the_enumerated_distribution(p: float, q: float, weighted: bool) -> None:
    graph = undirected(PAIRS, 9, weighted)
    rng = torch.Generator().manual_seed(3)
    walks = random_walks(graph, walking(1000, 20), rng, p=p, q=q)
    result = p_values(walks.tolist(), enumerated(graph, p, q))
    assert min(result) > 0.01 / len(result)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.5, 1), (2, 4), (2, 0.5), (0.25, 4)])
def test_wrong_distribution_is_noticed(p: float, q: float) -> None:
    graph = undirected(PAIRS, 9)
    rng = torch.Generator().manual_seed(3)
    walks = random_walks(graph, walking(1000, 20), rng, p=2, q=1)
    assert min(p_values(walks.tolist(), enumerated(graph, p, q))) < 1e-12


def test_first_step_goes_by_weight() -> None:
    graph = undirected(PAIRS, 9, weighted=True)
    walks = random_walks(graph, walking(3000, 2), torch.Generator().manual_seed(0))
    source, target = graph.edge_index
    for node in range(9):
        weight = graph.edge_weight[source == node].double()
        observed = [
            int(((walks[:, 0] == node) & (walks[:, 1] == other)).sum())
            for other in target[source == node]
        ]
        expected = (weight / weight.sum() * 3000).tolist()
        assert len(expected) == 1 or chisquare(observed, expected)[1] > 1e-3


def test_each_node_starts_as_many_walks_in_a_new_order_each_round() -> None:
    graph = undirected(PAIRS, 9)
    start = random_walks(graph, walking(4, 3), torch.Generator().manual_seed(0))[:, 0].reshape(4, 9)
    assert torch.equal(start.sort(dim=1).values, torch.arange(9, dtype=torch.int32).expand(4, 9))
    assert len({tuple(order.tolist()) for order in start}) == 4


def test_same_generator_gives_same_walks() -> None:
    graph = undirected(PAIRS, 9)
    one, two, other = (
        random_walks(graph, walking(2, 9), torch.Generator().manual_seed(s), q=2) for s in (5, 5, 6)
    )
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


@settings(max_examples=40, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] != e[1]), min_size=1
    ),
    p=st.sampled_from([0.2, 1.0, 5.0]),
    q=st.sampled_from([0.2, 1.0, 5.0]),
    weighted=st.booleans(),
)
def test_walks_stay_on_edges(
    pairs: list[tuple[int, int]], p: float, q: float, weighted: bool
) -> None:
    graph = undirected(pairs, 8, weighted)
    edges = {(int(a), int(b)) for a, b in graph.edge_index.t()}
    rng = torch.Generator().manual_seed(0)
    walks = random_walks(graph, walking(2, 6), rng, p=p, q=q)
    assert walks.shape == (2 * len({a for a, _ in edges}), 6)
    for walk in walks.tolist():
        assert set(itertools.pairwise(walk)) <= edges


def test_point_rounded_up_to_the_next_node_stays_with_its_own() -> None:
    graph = undirected([(0, 1), (2, 3), (3, 4)], 5)
    graph.edge_weight = torch.ones(graph.num_edges)
    # Beyond 2^52 a float64 has no fraction, so half of all points of node 2 are rounded up.
    graph.edge_weight[:2] = 2.0**51
    walks = random_walks(graph, walking(50, 2), torch.Generator().manual_seed(0))
    edges = {(int(a), int(b)) for a, b in graph.edge_index.t()}
    assert {tuple(step) for step in walks.tolist()} <= edges


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edge_index": torch.empty(2, 0, dtype=torch.long)}, "has none"),
        ({"edge_index": torch.tensor([[0, 1], [1, 2]])}, "both directions"),
        ({"edge_index": torch.tensor([[1, 0], [0, 1]])}, "sorted"),
        ({"edge_weight": torch.tensor([1.0, 0.0])}, "above 0"),
    ],
)
def test_graph_that_cannot_be_walked_is_refused(
    change: dict[str, torch.Tensor], message: str
) -> None:
    graph = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    graph.update(change)
    with pytest.raises(UserError, match=message):
        random_walks(graph, walking(1, 3), torch.Generator())


@pytest.mark.parametrize("negative", [0, 5])
def test_vectors_are_those_of_gensim_on_the_same_sentences(negative: int) -> None:
    from gensim.models import Word2Vec

    walks = random_walks(undirected(PAIRS, 10), walking(20, 12), torch.Generator().manual_seed(1))
    config = WalkConfig(out_dim=8, window=3, passes=2)
    vectors = skip_gram(walks, 10, config, negative=negative, seed=4)
    model = Word2Vec(
        [[str(int(node)) for node in walk] for walk in walks],
        vector_size=8,
        window=3,
        epochs=2,
        seed=4,
        workers=1,
        sg=1,
        hs=1 if negative == 0 else 0,
        negative=negative,
        min_count=0,
        sample=0,
        shrink_windows=False,
    )
    for node in range(9):
        np.testing.assert_array_equal(vectors[node].numpy(), model.wv[str(node)])
    assert not vectors[9].any()  # no edge leads there


def test_vectors_of_nodes_that_walks_join_are_close() -> None:
    cliques = [(block + a, block + b) for block in (0, 6) for a in range(6) for b in range(a)]
    graph = undirected([*cliques, (0, 6)], 12)
    walks = random_walks(graph, walking(40, 20), torch.Generator().manual_seed(0))
    config = WalkConfig(out_dim=8, window=4, passes=5)
    z = torch.nn.functional.normalize(skip_gram(walks, 12, config, negative=5, seed=0))
    cosine = z @ z.t()
    assert cosine[1:6, 1:6].mean() > cosine[1:6, 7:12].mean() + 0.2


def test_missing_gensim_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(UserError, match=r"^.*pip install homogcl\[walks\].*$") as caught:
        skip_gram(torch.zeros(1, 2), 1, WalkConfig(), negative=0, seed=0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_csr])
def test_features_stand_beside_the_vectors_at_the_same_length(layout: torch.layout) -> None:
    x = torch.tensor([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    graph = Data(x=x.to_sparse_csr() if layout == torch.sparse_csr else x)
    table = torch.tensor([[0.0, 2.0], [5.0, 0.0]])
    z = look_up(table, graph, with_features=True)
    torch.testing.assert_close(
        z, torch.tensor([[0.0, 1.0, 0.6, 0.8, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]])
    )
    assert look_up(table, graph, with_features=False) is table


def test_another_graph_has_no_vectors() -> None:
    with pytest.raises(UserError, match="the 2 nodes"):
        look_up(torch.zeros(2, 2), Data(x=torch.zeros(3, 1)), with_features=False)
