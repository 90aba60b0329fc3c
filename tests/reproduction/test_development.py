"""Accuracy without test labels: what each draw learns from, and that test labels do not count."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.runs.scores import inputs_of
from reproduction.development import METRIC, development_accuracy, development_split


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_draws_keep_the_number_of_labels_and_leave_test_nodes_alone(seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    y = torch.randint(-1, 3, (90,), generator=rng)
    parts = torch.rand(90, generator=rng)
    train, test = (parts < 0.2) & (y >= 0), parts > 0.6
    learn, select, score = (
        torch.as_tensor(mask) for mask in development_split(y, train, test, rng)
    )
    assert y[learn].bincount(minlength=3).tolist() == y[train].bincount(minlength=3).tolist()
    together = learn.int() + select.int() + score.int()
    assert together.tolist() == [
        int(label >= 0 and not held) for label, held in zip(y, test, strict=True)
    ]
    assert abs(int(select.sum()) - int(score.sum())) <= 1


def test_labels_of_test_nodes_change_nothing(block_graph: Data) -> None:
    before = development_accuracy(inputs_of(block_graph.x, block_graph, seed=0))
    assert 0 < before[METRIC] <= 1
    block_graph.y[block_graph.test_mask] = 0
    assert development_accuracy(inputs_of(block_graph.x, block_graph, seed=0)) == before


def test_a_graph_without_labels_is_refused(block_graph: Data) -> None:
    inputs = dataclasses.replace(inputs_of(block_graph.x, block_graph, seed=0), labels=None)
    with pytest.raises(UserError, match="needs labels"):
        development_accuracy(inputs)
