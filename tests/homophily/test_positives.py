from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.positives import MEANS, CannotCombine, Combine, Positives, Taken
from homogcl.views.augment import drop_edges


def of(graph: Data) -> Positives:
    """The edges of `graph`, each with another weight."""
    count = graph.num_edges
    return Positives(graph.edge_index, torch.linspace(0.1, 0.9, count))


@pytest.fixture
def path() -> Data:
    """Path 0 - 1 - 2 and the lonely node 3."""
    return Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=4)


def test_none_is_empty_and_stays_so_in_every_view(path: Data) -> None:
    none = Positives.none()
    assert none.is_empty
    assert none.within(drop_edges(path, 0.5, stream(0, "augment"))).is_empty
    assert none.on(path).is_empty
    assert not of(path).is_empty


def test_pairs_are_present_where_their_edge_survived(block_graph: Data) -> None:
    positives = of(block_graph)
    view = drop_edges(block_graph, 0.4, stream(0, "augment"))
    within = positives.within(view)
    survivors = set(map(tuple, view.edge_index.t().tolist()))
    present = [tuple(pair) in survivors for pair in block_graph.edge_index.t().tolist()]
    assert within.present is not None
    assert within.present.tolist() == present
    assert positives.present is None
    assert torch.equal(within.weight, positives.weight)


def test_induced_subgraph_keeps_its_pairs_and_their_weights() -> None:
    graph = Data(edge_index=torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]), num_nodes=4)
    # Nodes 1, 2, 3 renumbered from 0.
    subgraph = Data(
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), edge_id=torch.tensor([2, 3, 4, 5])
    )
    view = drop_edges(graph, 0.5, stream(0, "augment"))
    positives = of(graph).within(view).on(subgraph)
    assert torch.equal(positives.edge_index, subgraph.edge_index)
    assert torch.equal(positives.weight, of(graph).weight[2:])
    assert positives.present is None


@given(seed=st.integers(0, 999), masked=st.booleans(), way=st.sampled_from(Combine))
def test_weights_are_those_of_a_loop_over_pairs(seed: int, masked: bool, way: Combine) -> None:
    rng = torch.Generator().manual_seed(seed)
    nodes = 6
    row, col = (torch.rand(nodes, nodes, generator=rng) < 0.5).nonzero(as_tuple=True)
    weight = torch.rand(row.numel(), generator=rng, dtype=torch.float64)
    mask: Tensor | None = torch.rand(row.numel(), generator=rng) < 0.6 if masked else None
    positives = Positives(torch.stack([row, col]), weight, mask, way)

    here = [True] * row.numel() if mask is None else mask.tolist()
    numerator, ordinary = [], []
    for p, i in enumerate(row.tolist()):
        degree = sum(other == i and here[q] for q, other in enumerate(row.tolist()))
        as_one = way in {Combine.MEAN, Combine.RELEASED}
        share = 1 / (degree + 0.01) if as_one else 1.0
        numerator.append(float(weight[p]) * share if here[p] else 0.0)
        ordinary.append(0.0 if here[p] and way not in MEANS else 1.0)
    assert positives.numerator(row, nodes).tolist() == pytest.approx(numerator)
    assert positives.ordinary().tolist() == ordinary
    inside = [0.7 * o if o else n for n, o in zip(numerator, ordinary, strict=True)]
    assert positives.denominator(row, nodes, 0.7).tolist() == pytest.approx(inside)


def test_weights_pass_their_gradient_on_where_the_edge_is(path: Data) -> None:
    weight = torch.full((4,), 0.5, requires_grad=True)
    present = torch.tensor([True, False, True, False])
    positives = Positives(path.edge_index, weight, present)
    row = path.edge_index[0]
    (grad,) = torch.autograd.grad(positives.numerator(row, 4).sum(), weight)
    assert grad.tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("way", list(Combine))
def test_a_mean_takes_all_neighbors_whatever_a_view_has_lost(
    block_graph: Data, way: Combine
) -> None:
    view = drop_edges(block_graph, 0.4, stream(0, "augment"))
    within = replace(of(block_graph), combine=way).within(view)
    assert (within.present is None) == (way in MEANS)


@pytest.mark.parametrize("way", sorted(MEANS))
@pytest.mark.parametrize("taken", [Taken.SEEN, Taken.UNSEEN])
def test_a_mean_may_take_what_a_view_has_or_has_lost(
    block_graph: Data, way: Combine, taken: Taken
) -> None:
    view = drop_edges(block_graph, 0.5, stream(0, "augment"))
    within = replace(of(block_graph), combine=way, taken=taken).within(view)
    survivors = {(i, j) for i, j in view.edge_index.t().tolist()}
    seen = [(i, j) in survivors for i, j in block_graph.edge_index.t().tolist()]
    lost = [
        (i, j) not in survivors and (j, i) not in survivors
        for i, j in block_graph.edge_index.t().tolist()
    ]
    assert within.present is not None
    assert within.present.tolist() == (seen if taken is Taken.SEEN else lost)
    assert any(lost)
    assert any(seen)
    assert within.ordinary().tolist() == [1.0] * len(seen)


def test_neighbors_that_a_view_has_lost_need_a_view(path: Data) -> None:
    pairs = replace(of(path), combine=Combine.MEAN, taken=Taken.UNSEEN)
    with pytest.raises(CannotCombine, match=r"^unseen neighbors need a base that compares views"):
        pairs.numerator(path.edge_index[0], 4)


def test_pairs_are_those_of_a_way_of_combining_or_none(path: Data) -> None:
    pairs = replace(of(path), combine=Combine.TERM)
    assert pairs.combined(Combine.TERM, Combine.SUM) is pairs
    assert pairs.combined(*MEANS).is_empty


def test_a_view_of_other_edges_is_refused(path: Data) -> None:
    pairs = of(path)
    with pytest.raises(UserError, match="the view has no edge_id"):
        pairs.within(path)
    shuffled = Data(edge_index=path.edge_index[:, [1, 0, 3, 2]], num_nodes=4)
    view = drop_edges(shuffled, 0.0, stream(0, "augment"))
    with pytest.raises(UserError, match="edge_id of the view does not lead to its edges"):
        pairs.within(view)
