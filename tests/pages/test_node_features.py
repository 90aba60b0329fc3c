"""Features on a page: the numbers of the table, within a 255th of each column's range."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.data.columns import Column
from homogcl.data.recipe import Recipe, scale_features
from homogcl.data.scaling import Number, Scaling
from homogcl.pages.explore_page import Features
from homogcl.pages.node_features import features_of


def decoded(features: Features, nodes: int) -> np.ndarray:
    """What the page's script makes of the columns, [nodes, F]."""
    table = np.tile(features.rest, (nodes, 1))
    for column in range(len(features.names)):
        low, high = features.low[column], features.high[column]
        for at in range(features.offsets[column], features.offsets[column + 1]):
            part = features.levels[at] / 255
            table[features.nodes[at], column] = low + (high - low) * part
    return table


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 5), st.booleans())
def test_columns_are_those_of_the_nodes_asked_for(
    seed: int, nodes: int, width: int, sparse: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(nodes, width)) * (rng.random((nodes, width)) < 0.6)
    asked = np.sort(rng.choice(nodes, rng.integers(1, nodes + 1), replace=False))
    matrix = torch.from_numpy(x).float()
    graph = Data(x=matrix.to_sparse_csr() if sparse else matrix)
    features = features_of(graph, asked)
    assert features is not None
    assert features.names == [f"feature {k}" for k in range(width)]
    table = decoded(features, len(asked))
    bound = np.ptp(x[asked], axis=0).max() / 255 + 1e-6
    assert np.abs(table - x[asked]).max() <= bound
    assert ((features.levels >= 0) & (features.levels <= 255)).all()


def test_numbers_have_the_units_and_names_of_their_table() -> None:
    columns = (Column("age", "number"), Column("color", "category", ("red", "blue")))
    scaling = Scaling(3, (), (Number(0, "standard", 40.0, 10.0),))
    x = torch.tensor([[-1.0, 1, 0], [0, 0, 1], [2.1, 1, 0]])
    features = features_of(Data(x=x, recipe=Recipe(columns, scaling)), np.arange(3))
    assert features is not None
    assert features.names == ["age", "color=red", "color=blue"]
    assert features.low.tolist() == pytest.approx([30, 0, 0])
    assert features.high.tolist() == pytest.approx([61, 1, 1])
    assert decoded(features, 3)[:, 0] == pytest.approx([30, 40, 61], abs=0.1)


def test_of_many_columns_those_that_vary_most_are_held() -> None:
    x = torch.tensor([[0.1, 5, 0, 1], [0.2, 0, 0, 2], [0.3, 5, 3, 3]])
    features = features_of(Data(x=x), np.arange(3), most=4)
    assert features is not None
    assert features.names == ["feature 1", "feature 2"]
    assert features.total == 4


def test_features_that_were_made_of_the_edges_are_none() -> None:
    assert features_of(Data(num_nodes=3), np.arange(3)) is None
    graph = Data(x=torch.ones(3, 2), structural=True)
    assert features_of(graph, np.arange(3)) is None


def test_a_recipe_that_a_graph_was_scaled_by_is_undone() -> None:
    ages = torch.tensor([[20.0, 1.0], [30.0, 7.0], [70.0, 2.0], [45.0, 4.0]])
    graph = Data(x=ages.clone())
    scale_features(graph, "standard")
    features = features_of(graph, np.arange(4))
    assert features is not None
    assert decoded(features, 4) == pytest.approx(ages.numpy(), abs=0.2)
