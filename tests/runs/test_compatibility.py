"""Which graphs a trained method can embed, and why not the others."""

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Method, Sizes
from homogcl.runs.compatibility import TrainingGraph, for_method
from tests.toys import Toy

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def graph(names: list[str] | None = None, **more: object) -> Data:
    """Three nodes in a row with two features."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return Data(x=x, edge_index=EDGES, feature_names=names or [], **more)


@pytest.fixture
def method() -> Method:
    return Toy(Sizes(3, 2))


def test_the_same_graph_is_left_as_it_is(method: Method) -> None:
    same = graph(["a", "b"])
    assert for_method(same, method, TrainingGraph.of(same)) is same


@pytest.mark.parametrize("sparse", [False, True])
def test_columns_are_put_in_the_learned_order(method: Method, sparse: bool) -> None:
    swapped = graph(["b", "a"])
    dense = swapped.x
    if sparse:
        swapped.x = swapped.x.to_sparse_csr()
    ordered = for_method(swapped, method, TrainingGraph.of(graph(["a", "b"])))
    assert torch.equal(ordered.x.to_dense(), dense.flip(1))
    assert ordered.feature_names == ["a", "b"]
    assert torch.equal(swapped.x.to_dense(), dense)


@pytest.mark.parametrize(
    ("new", "old", "says"),
    [
        (graph(["a", "c"]), graph(["a", "b"]), "lacks 'b' and also has 'c'"),
        (graph(), Data(x=torch.ones(3, 5), edge_index=EDGES), "has 2 features, but 5 were learned"),
        (
            graph(structural=True),
            graph(),
            "made of its edges, those that were learned from its own",
        ),
        (
            graph(structural=True),
            Data(x=torch.ones(3, 2), edge_index=EDGES[:, :2], structural=True),
            "mean something else in another graph",
        ),
    ],
)
def test_refusals_have_a_reason(method: Method, new: Data, old: Data, says: str) -> None:
    with pytest.raises(UserError, match=says):
        for_method(new, method, TrainingGraph.of(old))


def test_transductive_method_takes_the_same_edges_only(method: Method) -> None:
    method.transductive = True
    assert for_method(graph(), method, TrainingGraph.of(graph())) is not None
    other = Data(x=torch.ones(3, 2), edge_index=EDGES[:, :2])
    with pytest.raises(UserError, match="knows only the graph it was trained on"):
        for_method(other, method, TrainingGraph.of(graph()))
