"""Attributes of nodes: what becomes features, labels, masks, and what is named as left aside."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.data.held.attributes import Attribute, with_attributes
from homogcl.data.own.nodes import Nodes


def read(**values: list[Any]) -> Nodes:
    size = len(next(iter(values.values())))
    attributes = [Attribute.of(name, each) for name, each in values.items()]
    return with_attributes(Nodes(list(range(size))), attributes, ())


@pytest.mark.parametrize("name", ["label", "labels", "y", "train_mask", "val_mask", "test_mask"])
def test_labels_and_masks_are_never_features(name: str) -> None:
    nodes = read(**{name: [0, 1, 1, 0]})
    assert nodes.x is None
    assert nodes.feature_names == ()


@pytest.mark.parametrize(
    ("values", "classes", "y"),
    [
        ([2, 0, 2, 0], ("0", "2"), [1, 0, 1, 0]),
        ([1.0, None, 0.0, 1.0, float("nan")], ("0", "1"), [1, -1, 0, 1, -1]),
        ([0, -1, 1, 1], ("0", "1"), [0, -1, 1, 1]),
        ([1, -1, -1, 1], ("-1", "1"), [1, 0, 0, 1]),
        (["b", "a", "", "b"], ("a", "b"), [1, 0, -1, 1]),
        ([torch.tensor([1]), np.int64(0), True, False], ("0", "1"), [1, 0, 1, 0]),
    ],
)
def test_labels_are_numbered_in_order(
    values: list[Any], classes: tuple[str, ...], y: list[int]
) -> None:
    nodes = read(label=values)
    assert nodes.classes == classes
    assert nodes.y is not None
    assert nodes.y.tolist() == y


def test_names_of_nodes_are_no_labels_and_a_second_label_is_named() -> None:
    nodes = read(label=["Ann", "Bob", "Eve"], size=[1.0, 2.0, 3.0])
    assert nodes.y is None
    assert nodes.notes == ("nodes: 'label' not used (no value stands there twice)",)
    assert read(y=[0, 1, 1], label=[1, 1, 0]).notes == (
        "nodes: 'label' not used (labels have one name)",
    )


def test_vectors_become_columns_and_dates_and_texts_are_those_of_a_table() -> None:
    nodes = read(
        x=[np.array([1.0, 2.0]), torch.tensor([3.0, 4.0]), (5.0, 6.0), [7, 8]],
        day=[date(2024, 1, day) for day in (1, 2, 3, 5)],
        kind=["a", "b", "a", "b"],
    )
    assert [column.kind for column in nodes.columns] == ["number", "number", "date", "category"]
    assert nodes.feature_names == ("x[0]", "x[1]", "day", "kind=a", "kind=b")
    assert nodes.x is not None
    assert nodes.x.to_dense()[:, :2].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_what_cannot_be_taken_is_named() -> None:
    nodes = read(style=[{}, {}, {}], path=[[1], [1, 2], [3, 4]], size=[1, 2, 3])
    assert nodes.feature_names == ("size",)
    (note,) = nodes.notes
    assert note.startswith("nodes: 'style', 'path' not used (numbers, vectors of one length")
    lonely = read(title=["one", "two", "three"])
    assert lonely.x is None
    assert lonely.notes == ("nodes: 'title' not used (no value stands there twice)",)


def test_gaps_are_counted_and_a_mask_is_true_or_false() -> None:
    with pytest.raises(UserError, match=r"'kind' is missing at 1 of 3 nodes \(1\)"):
        read(kind=["a", None, "a"])
    with pytest.raises(UserError, match="'val_mask' must be true or false at every node"):
        read(val_mask=[0, 1, 2])
