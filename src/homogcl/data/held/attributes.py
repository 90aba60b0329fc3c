"""Attributes of nodes, as graphs of networkx and igraph have them, as features, labels and masks.

An attribute of a label's name holds labels and one of a mask's name a mask, never features. All
others are taken as columns of a table are; a vector becomes as many columns as it is long. What
cannot be taken is named in a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.columns import Column
from homogcl.data.own.features import TableFeatures
from homogcl.data.own.ids import some
from homogcl.data.own.nodes import Nodes
from homogcl.data.own.tables import MemoryTable, arrow

LABELS: Final = ("label", "labels", "y")
_NUMBERS: Final = (bool, int, float, np.number, np.bool_)
_TEXTS: Final = (str, date, np.datetime64)


@dataclass(frozen=True)
class Attribute:
    """What one attribute is at each node; None where a node has none."""

    name: str
    values: Sequence[Any]

    @classmethod
    def of(cls, name: object, values: Sequence[Any]) -> Attribute:
        """Return an attribute with arrays as lists, and with NaN as what is absent."""
        return cls(str(name), [_plain(value) for value in values])

    @property
    def present(self) -> list[Any]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    def holds(self, *kinds: type) -> bool:
        """Return whether there are values, all of one of some types."""
        return bool(self.present) and all(isinstance(value, kinds) for value in self.present)

    @property
    def width(self) -> int:
        """How long all values are where they are vectors of numbers, else 0."""
        if not self.holds(list, tuple):
            return 0
        lengths = {len(value) for value in self.present}
        plain = all(isinstance(each, _NUMBERS) for value in self.present for each in value)
        return lengths.pop() if plain and len(lengths) == 1 else 0

    def columns(self) -> dict[str, list[Any]] | None:
        """Return the columns of a table that it is; None if a table has no such cells."""
        if self.width:
            return {f"{self.name}[{k}]": [v[k] for v in self.values] for k in range(self.width)}
        if self.holds(*_NUMBERS) or self.holds(date, np.datetime64):
            return {self.name: list(self.values)}
        if self.holds(*_NUMBERS, *_TEXTS):
            return {self.name: [str(value) for value in self.values]}
        return None


def with_attributes(
    nodes: Nodes, attributes: Sequence[Attribute], training_columns: tuple[Column, ...]
) -> Nodes:
    """Return nodes with the features, labels, masks and notes that their attributes give.

    Args:
        nodes: Their ids.
        attributes: What is said of each of them.
        training_columns: How columns of features became numbers in training, which holds here too.
    """
    labels = next((each for each in attributes if each.name in LABELS and each.present), None)
    masks = [each for each in attributes if each.name in MASKS and each.present]
    notes = [*_left_aside(attributes, labels)]
    if labels is not None:
        keys = _keys(labels)
        if keys is None:
            notes.append(f"nodes: {labels.name!r} not used (no value stands there twice)")
        else:
            classes = sorted({*keys} - {None})
            place = {None: -1} | {key: number for number, key in enumerate(classes)}
            y = torch.tensor([place[key] for key in keys])
            nodes = replace(nodes, y=y, classes=tuple(map(str, classes)))
    nodes = replace(nodes, masks={each.name: _mask(each, nodes.ids) for each in masks})
    columns: dict[str, list[Any]] = {}
    for each in attributes:
        if each.name not in (*LABELS, *MASKS) and (cells := each.columns()) is not None:
            _refuse_gaps(each, nodes.ids)
            columns |= cells
    nodes = _with_features(nodes, columns, training_columns) if columns else nodes
    return replace(nodes, notes=(*notes, *nodes.notes))


def _with_features(
    nodes: Nodes, columns: Mapping[str, list[Any]], training_columns: tuple[Column, ...]
) -> Nodes:
    """Return nodes with columns as features, or with a note that nothing is in them."""
    pa = arrow()
    table = MemoryTable("the nodes", {name: pa.array(cells) for name, cells in columns.items()})
    kinds = {column.name: column.kind for column in training_columns}
    features = TableFeatures.of(table, table.names, kinds)
    try:
        x, how = features.numbers(training_columns)
    except UserError:
        if training_columns:
            raise
        note = f"nodes: {some(table.names)} not used (no value stands there twice)"
        return replace(nodes, notes=(*nodes.notes, note))
    names = tuple(name for column in how for name in column.names)
    return replace(nodes, x=x, feature_names=names, columns=how)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of numpy and torch
        value = value.tolist() if value.__class__ is not np.datetime64 else value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _left_aside(attributes: Sequence[Attribute], labels: Attribute | None) -> Iterator[str]:
    """Yield a note on the attributes that are neither features nor the labels nor a mask."""
    others = [each.name for each in attributes if each.name in LABELS and each is not labels]
    if others:
        yield f"nodes: {some(others)} not used (labels have one name)"
    strange = [
        each.name
        for each in attributes
        if each.name not in (*LABELS, *MASKS) and each.columns() is None
    ]
    if strange:
        kinds = "numbers, vectors of one length, truth values, dates and text are"
        yield f"nodes: {some(strange)} not used ({kinds})"


def _keys(labels: Attribute) -> list[Any] | None:
    """Return the label of each node, None where it has none; None if these are no labels.

    Whole numbers are numbers, -1 stands for none, and all else is text. Where every node has a
    value of its own, these are names, such as igraph draws beside nodes.
    """
    if not labels.holds(*_NUMBERS, str):
        return None
    values, keys = labels.values, []
    if labels.holds(*_NUMBERS) and all(float(value).is_integer() for value in labels.present):
        values = [None if value is None else int(value) for value in values]
        if len({*values} - {None, -1}) > 1:  # else -1 and 1 are the two classes
            values = [None if value == -1 else value for value in values]
        keys = list(values)
    else:
        keys = [None if value in (None, "") else str(value) for value in values]
    present = [key for key in keys if key is not None]
    return keys if len({*present}) < len(present) else None


def _mask(mask: Attribute, ids: Sequence[Any]) -> Tensor:
    _refuse_gaps(mask, ids)
    if not mask.holds(*_NUMBERS) or any(value not in (0, 1) for value in mask.values):
        raise UserError(f"the attribute {mask.name!r} must be true or false at every node")
    return torch.tensor([bool(value) for value in mask.values])


def _refuse_gaps(attribute: Attribute, ids: Sequence[Any]) -> None:
    absent = [i for i, value in zip(ids, attribute.values, strict=True) if value is None]
    if absent:
        raise UserError(
            f"the attribute {attribute.name!r} is missing at {len(absent):,} of {len(ids):,} nodes "
            f"({some(absent)}): set it there or remove it"
        )
