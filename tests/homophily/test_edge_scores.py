"""Scores of edges, against slow loops, densities that are known, and planted edges."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.edges import undirected
from homogcl.data.load import citation_graph
from homogcl.homophily.decoys import Ints, Pairs
from homogcl.homophily.edge_scores import (
    OTHERS,
    PRIOR_EDGES,
    alike_share,
    cross_fitted,
    edge_scores,
    probabilities,
    true_share,
    with_others,
)


def drawn(
    seed: int, wrong: float = 0.3, count: int = 2000, nodes: int = 300
) -> tuple[Pairs, Pairs, Ints]:
    """Edges, a share of which is drawn as decoys are, and decoys; which edges are right."""
    rng = np.random.default_rng(seed)
    right = (rng.random(count) >= wrong).astype(np.int64)
    columns = rng.normal(size=(count, 2)) + 2.0 * right[:, None]
    edges = Pairs(rng.integers(0, nodes, (2, count)), columns, np.arange(count) % 5)
    others = rng.normal(size=(count, 2))
    return edges, Pairs(rng.integers(0, nodes, (2, count)), others, np.arange(count) % 5), right


def ends_in_common(graph: Data) -> list[Tensor]:
    """Features averaged over neighbors, as vectors."""
    x: Tensor = graph.x.to_dense()
    return [x.index_add(0, graph.edge_index[0], x[graph.edge_index[1]])]


def test_the_others_are_averaged_as_a_loop_does() -> None:
    edges, decoys, _ = drawn(0, count=60, nodes=12)
    rng = np.random.default_rng(1)
    p, q = rng.random(60), rng.random(60)
    s, s_decoys = with_others(p, edges.ends, q, decoys.ends, 12)

    def mean(node: int, without: int | None) -> float:
        own = [p[e] for end in edges.ends for e in range(60) if end[e] == node and e != without]
        return float(sum(own) + PRIOR_EDGES * p.mean()) / (len(own) + PRIOR_EDGES)

    apart = [e for e in range(60) if edges.ends[0, e] != edges.ends[1, e]]
    for e in apart:
        others = mean(edges.ends[0, e], e) + mean(edges.ends[1, e], e)
        assert s[e] == pytest.approx((p[e] + OTHERS * others) / (1 + 2 * OTHERS))
    for d in range(60):
        others = mean(decoys.ends[0, d], None) + mean(decoys.ends[1, d], None)
        assert s_decoys[d] == pytest.approx((q[d] + OTHERS * others) / (1 + 2 * OTHERS))


def test_no_pair_is_judged_by_a_model_of_its_own_fold() -> None:
    edges, decoys, _ = drawn(2)
    before = cross_fitted(edges, decoys)
    inside = edges.fold == 3
    columns = edges.columns.copy()
    columns[inside] += 5.0
    after = cross_fitted(Pairs(edges.ends, columns, edges.fold), decoys)
    np.testing.assert_array_equal(after[1][decoys.fold == 3], before[1][decoys.fold == 3])
    assert (after[0][inside] > before[0][inside]).all()
    assert not np.allclose(after[0][~inside], before[0][~inside])


@pytest.mark.parametrize("wrong", [0.1, 0.3, 0.6])
def test_the_score_grows_with_the_share_of_right_edges(wrong: float) -> None:
    edges, decoys, right = drawn(3, wrong, count=20_000, nodes=5000)
    score = probabilities(edges, decoys, 5000)
    assert score is not None
    quarters = [right[(score > low) & (score <= low + 0.25)].mean() for low in (0, 0.25, 0.5, 0.75)]
    assert (np.diff(quarters) > 0).all()
    # Of both columns the sum tells all there is to know.
    assert roc_auc_score(right, score) > roc_auc_score(right, edges.columns.sum(axis=1)) - 0.01


def test_edges_drawn_as_decoys_are_told_by_their_share() -> None:
    rng = np.random.default_rng(0)
    for wrong in (0.0, 0.2, 1.0):
        s = np.where(rng.random(20_000) < wrong, rng.normal(size=20_000), 6.0)
        assert alike_share(s, rng.normal(size=20_000)) == pytest.approx(max(wrong, 1e-3), abs=0.02)


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, unique=True), st.floats(1e-3, 1.0))
def test_the_share_grows_with_the_ratio_and_stays_within_0_and_1(
    ratios: list[float], alike: float
) -> None:
    share = true_share(np.sort(ratios), alike)
    assert (np.diff(share) >= 0).all()
    assert share.min() >= 0
    assert share.max() <= 1


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_order_and_numbers_of_nodes_do_not_matter(seed: int) -> None:
    edges, decoys, _ = drawn(4)
    rng = np.random.default_rng(seed)
    order, other_order = rng.permutation(2000), rng.permutation(2000)
    number = rng.permutation(300)
    swap = rng.random(2000) < 0.5
    ends = number[np.where(swap, edges.ends[::-1], edges.ends)]
    moved = Pairs(ends[:, order], edges.columns[order], edges.fold[order])
    moved_decoys = Pairs(
        number[decoys.ends][:, other_order],
        decoys.columns[other_order],
        decoys.fold[other_order],
    )
    expected, score = probabilities(edges, decoys, 300), probabilities(moved, moved_decoys, 300)
    assert expected is not None
    assert score is not None
    np.testing.assert_allclose(score, expected[order], atol=1e-3)


def test_planted_edges_score_low_and_both_directions_alike() -> None:
    graph = citation_graph(900, num_classes=4, num_words=200, homophily=0.95, seed=2)
    rng = stream(0, "planted")
    ends = torch.randint(900, (2, 600), generator=rng)
    right = {tuple(edge) for edge in graph.edge_index.t().tolist()}
    once = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    both, _ = undirected(torch.cat([once, ends], dim=1), 900)
    score = edge_scores(Data(x=graph.x, edge_index=both), ends_in_common, stream(0, "edges"))
    pairs = [tuple(edge) for edge in both.t().tolist()]
    is_right = [pair in right for pair in pairs]
    x = torch.nn.functional.normalize(graph.x.to_dense())
    assert roc_auc_score(is_right, score) > roc_auc_score(
        is_right, (x[both[0]] * x[both[1]]).sum(dim=1)
    )
    of = dict(zip(pairs, score.tolist(), strict=True))
    assert all(of[j, i] == value for (i, j), value in of.items())


def test_few_edges_are_scored_by_their_cosines_and_none_by_nothing(block_graph: Data) -> None:
    few = block_graph.edge_index[:, (block_graph.edge_index < 8).all(dim=0)]
    part = Data(x=block_graph.x, edge_index=few)
    score = edge_scores(part, lambda rest: [rest.x], stream(0, "edges"))
    x = torch.nn.functional.normalize(block_graph.x.to_dense())
    torch.testing.assert_close(score, (1 + (x[few[0]] * x[few[1]]).sum(dim=1)) / 2)
    none = Data(x=block_graph.x, edge_index=few[:, :0])
    assert edge_scores(none, lambda rest: [rest.x], stream(0, "edges")).shape == (0,)
