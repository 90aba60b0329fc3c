from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.methods.base import Method, Sizes, total


def test_sizes_are_those_of_the_graph(block_graph: Data) -> None:
    assert Sizes.of(block_graph) == Sizes(nodes=60, features=16, classes=3)
    block_graph.x = block_graph.x.relu().to_sparse_csr()
    assert Sizes.of(block_graph) == Sizes(nodes=60, features=16, classes=3)


@pytest.mark.parametrize(
    ("y", "classes"),
    [(None, 0), ([], 0), ([-1, -1], 0), ([-1, 0], 1), ([4, -1], 5)],
)
def test_classes_are_counted_up_to_the_largest_label(y: list[int] | None, classes: int) -> None:
    nodes = 2 if y is None else len(y)
    graph = Data(x=torch.ones(nodes, 3), y=None if y is None else torch.tensor(y).long())
    assert Sizes.of(graph) == Sizes(nodes, 3, classes)


@given(
    values=st.lists(st.floats(-9, 9), min_size=1, max_size=4),
    weights=st.lists(st.floats(-9, 9), max_size=4),
)
def test_loss_is_the_weighted_sum_where_a_term_without_weight_counts_once(
    values: list[float], weights: list[float]
) -> None:
    terms = {f"t{i}": torch.tensor(v, requires_grad=True) for i, v in enumerate(values)}
    weight = {f"t{i}": w for i, w in enumerate(weights)}
    loss = total(terms, weight)
    expected = sum(weight.get(name, 1.0) * value for name, value in zip(terms, values, strict=True))
    assert float(loss.detach()) == pytest.approx(expected, abs=1e-4)
    slopes = torch.autograd.grad(loss, list(terms.values()))
    assert [float(slope) for slope in slopes] == pytest.approx(
        [weight.get(name, 1.0) for name in terms]
    )


class Nothing(Method):
    """A method that says only its name."""

    name = "Nothing"


def test_method_that_says_nothing_learns_nothing_and_predicts_nothing(block_graph: Data) -> None:
    method = Nothing()
    rng = torch.Generator().manual_seed(0)
    before = rng.get_state()
    method.check(1)
    method.prepare(block_graph, rng)
    assert method.views(block_graph, rng) is block_graph
    assert torch.equal(rng.get_state(), before)
    assert method.objective(block_graph) == {}
    assert method.term_weights() == {}
    with pytest.raises(NotImplementedError, match="Nothing learns from no labels"):
        method.predict(block_graph)
    with pytest.raises(NotImplementedError, match="Nothing has neither an encoder nor"):
        method.embed(block_graph)
