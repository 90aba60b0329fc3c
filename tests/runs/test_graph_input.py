"""Graphs as methods take them: prepared as the settings say, with edges or without."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import NO_DATA_SET
from homogcl.runs.compatibility import TrainingGraph
from homogcl.runs.graph_input import graph_input

SETTINGS = resolve("homogcl", NO_DATA_SET, {"features": "standard"})
X = np.random.default_rng(0).normal(5, 3, (12, 3)).astype(np.float32)
EDGES = np.stack([np.arange(12), np.roll(np.arange(12), 1)])


def test_rows_without_edges_are_scaled_as_those_learned_from() -> None:
    trained = graph_input((EDGES, X), SETTINGS, 0)
    rows = graph_input((None, X[:2]), SETTINGS, 0, trained_on=TrainingGraph.of(trained))
    assert rows.edge_index.shape == (2, 0)
    torch.testing.assert_close(rows.x, trained.x[:2])
    assert rows.ids == [0, 1]


@pytest.mark.parametrize("rows", [(None, X), Data(x=torch.from_numpy(X))])
def test_a_training_needs_edges(rows: object) -> None:
    with pytest.raises(UserError, match="needs edges"):
        graph_input(rows, SETTINGS, 0)


def test_features_are_not_made_of_edges_that_are_not_there() -> None:
    structural = resolve("homogcl", NO_DATA_SET, {"features": "structural"})
    trained = graph_input(EDGES, structural, 0)
    rows = graph_input((None, X), structural, 0, trained_on=TrainingGraph.of(trained))
    assert not rows.structural
