import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.nn.sparse import Pattern, with_pattern
from homogcl.views.augment import (
    EqualRates,
    ViewRates,
    augment,
    clean_view,
    drop_edges,
    keep,
    mask_features,
    shuffle_features,
    two_views,
)
from tests.graphs import same, snapshot


@pytest.fixture
def weighted(block_graph: Data) -> Data:
    """Block graph with a different weight at each edge."""
    block_graph.edge_weight = torch.arange(1.0, block_graph.num_edges + 1)
    return block_graph


def test_clean_view_is_the_graph_without_its_labels(weighted: Data) -> None:
    view = clean_view(weighted)
    assert set(view.keys()) == {"x", "edge_index", "edge_weight", "edge_id", "num_nodes"}
    assert torch.equal(view.x, weighted.x)
    assert torch.equal(view.edge_index, weighted.edge_index)
    assert torch.equal(view.edge_id, torch.arange(weighted.num_edges))


def test_edge_ids_lead_back_to_the_edges_and_weights_of_the_graph(weighted: Data) -> None:
    view = drop_edges(weighted, 0.4, stream(0, "augment"))
    assert 0 < view.num_edges < weighted.num_edges
    assert torch.equal(view.edge_index, weighted.edge_index[:, view.edge_id])
    assert torch.equal(view.edge_weight, weighted.edge_weight[view.edge_id])


def test_edge_ids_survive_a_second_drop(weighted: Data) -> None:
    rng = stream(0, "augment")
    view = drop_edges(drop_edges(weighted, 0.3, rng), 0.3, rng)
    assert torch.equal(view.edge_index, weighted.edge_index[:, view.edge_id])
    assert torch.equal(view.edge_weight, weighted.edge_weight[view.edge_id])


def test_edges_stay_sorted_and_nodes_stay_even_without_edges(weighted: Data) -> None:
    view = drop_edges(weighted, 0.9, stream(0, "augment"))
    source, target = view.edge_index
    assert bool((source.diff() * weighted.num_nodes + target.diff() > 0).all())
    assert view.num_nodes == weighted.num_nodes


def test_directions_of_an_edge_are_dropped_apart(block_graph: Data) -> None:
    view = drop_edges(block_graph, 0.5, stream(0, "augment"))
    edges = set(map(tuple, view.edge_index.t().tolist()))
    alone = [pair for pair in edges if pair[::-1] not in edges]
    assert 0.3 < len(alone) / len(edges) < 0.7


def test_probability_can_be_an_edges_own(block_graph: Data) -> None:
    probability = (torch.arange(block_graph.num_edges) % 2).float()
    view = drop_edges(block_graph, probability, stream(0, "augment"))
    assert torch.equal(view.edge_id, torch.arange(0, block_graph.num_edges, 2))


def test_masked_columns_are_whole_and_the_others_untouched(block_graph: Data) -> None:
    view = mask_features(block_graph, 0.5, stream(0, "augment"))
    masked = (view.x == 0).all(0)
    assert 0 < int(masked.sum()) < block_graph.num_features
    assert torch.equal(view.x[:, ~masked], block_graph.x[:, ~masked])
    assert torch.equal(view.edge_id, torch.arange(block_graph.num_edges))


def test_probability_can_be_a_columns_own(block_graph: Data) -> None:
    probability = (torch.arange(16) < 5).float()
    view = mask_features(block_graph, probability, stream(0, "augment"))
    assert torch.equal((view.x == 0).all(0), probability.bool())


@given(rate=st.floats(0, 1), seed=st.integers(0, 99))
def test_rates_are_kept(rate: float, seed: int) -> None:
    count = 4000
    survivors = int(keep(count, rate, stream(seed, "augment")).sum())
    # Six standard deviations of the binomial count.
    assert abs(survivors - count * (1 - rate)) <= 6 * (count * rate * (1 - rate)) ** 0.5


def test_rate_0_keeps_all_and_rate_1_nothing() -> None:
    rng = stream(0, "augment")
    assert bool(keep(10_000, 0.0, rng).all())
    assert not bool(keep(10_000, 1.0, rng).any())


def test_sparse_features_are_masked_as_dense_ones_are(block_graph: Data) -> None:
    block_graph.x = block_graph.x.relu()
    sparse = block_graph.clone()
    sparse.x = block_graph.x.to_sparse_csr()
    ours = augment(sparse, 0.4, 0.3, stream(5, "augment"))
    plain = augment(block_graph, 0.4, 0.3, stream(5, "augment"))
    assert ours.x.layout == torch.sparse_csr
    assert torch.equal(ours.x.to_dense(), plain.x)
    assert torch.equal(ours.edge_id, plain.edge_id)


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_graph_and_view_are_left_as_they_were(weighted: Data, layout: str) -> None:
    if layout == "sparse":
        weighted.x = weighted.x.to_sparse_csr()
    rng = stream(0, "augment")
    before = snapshot(weighted)
    view = augment(weighted, 0.4, 0.4, rng)
    assert view.x.shape == weighted.x.shape
    between = snapshot(view)
    augment(view, 0.4, 0.4, rng)
    assert same(snapshot(weighted), before)
    assert same(snapshot(view), between)


def test_same_seed_gives_the_same_view_and_another_seed_another(block_graph: Data) -> None:
    first, again, other = (augment(block_graph, 0.5, 0.5, stream(s, "augment")) for s in (0, 0, 1))
    assert torch.equal(first.edge_id, again.edge_id)
    assert torch.equal(first.x, again.x)
    assert not torch.equal(first.edge_id, other.edge_id)
    assert not torch.equal(first.x, other.x)


def test_views_of_a_graph_with_a_pattern_have_their_own(weighted: Data) -> None:
    view = augment(with_pattern(weighted), 0.4, 0.2, stream(0, "augment"))
    twice = drop_edges(view, 0.5, stream(1, "augment"))
    for each in (view, twice):
        assert Pattern.of_graph(each) is each.pattern
        new = Pattern.of(each.edge_index, int(each.num_nodes or 0))
        assert torch.equal(each.pattern.to_transposed, new.to_transposed)
    plain = augment(weighted, 0.4, 0.2, stream(0, "augment"))
    assert "pattern" not in plain
    assert torch.equal(plain.edge_index, view.edge_index)


def test_two_views_are_drawn_one_after_the_other_at_their_own_rates(block_graph: Data) -> None:
    own = ViewRates(drop_edge_1=0.2, mask_feature_1=0.3, drop_edge_2=0.6, mask_feature_2=0.5)
    like = EqualRates(drop_edge=0.2, mask_feature=0.3)
    for rates, second in ((own, (0.6, 0.5)), (like, (0.2, 0.3))):
        rng = stream(0, "augment")
        expected = [augment(block_graph, *each, rng) for each in ((0.2, 0.3), second)]
        views = two_views(block_graph, rates, stream(0, "augment"))
        assert same(snapshot(views.first), snapshot(expected[0]))
        assert same(snapshot(views.second), snapshot(expected[1]))


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_shuffled_features_are_rows_of_the_graph_also_where_columns_are_masked(
    block_graph: Data, layout: str
) -> None:
    if layout == "sparse":
        block_graph.x = block_graph.x.to_sparse_csr()
    rng = torch.Generator().manual_seed(0)
    graph = Data(x=torch.ones(5, 2), edge_index=torch.tensor([[0, 1], [1, 0]]))
    assert shuffle_features(graph, torch.arange(5)).num_nodes == 5
    # What a graph says in words of ours is its own business.
    graph.source, graph.masked, graph.order = "a file", torch.tensor([1]), "by date"
    assert torch.equal(shuffle_features(graph, torch.arange(5)).x, graph.x)
    assert torch.equal(clean_view(graph).x, mask_features(graph, 0.0, rng).x)
    one, other = (torch.randperm(block_graph.num_nodes, generator=rng) for _ in range(2))
    masked = augment(block_graph, 0.3, 0.4, rng)
    twice = shuffle_features(shuffle_features(masked, one), other)
    assert "x" not in masked
    assert torch.equal(twice.x.to_dense(), masked.x.to_dense()[one][other])
    assert torch.equal(twice.edge_index, masked.edge_index)
    again = mask_features(twice, 0.5, rng)
    expected = twice.x.to_dense().clone()
    expected[:, again.masked] = 0
    assert torch.equal(again.x.to_dense(), expected)
