"""The table of nodes, block by block: ids into the database, everything else into columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from homogcl.core.errors import UserError, nearest
from homogcl.data.columns import Cells, is_missing
from homogcl.data.own.files import GraphFiles, Kind
from homogcl.data.own.ids import NAMED, in_order
from homogcl.data.own.kinds import cells_of
from homogcl.data.own.listing import SPLITS
from homogcl.data.own.tables import MemoryTable, arrow
from homogcl.data.streamed.cells import ColumnFiles, Levels, column_of, texts_of
from homogcl.data.streamed.store import Store
from homogcl.data.streamed.streams import Stream

CHOICE: Final = "; or set missing (--missing) to drop or fill"
LABEL: Final = "label"
SPLIT_OF: Final = {mask: number for number, mask in enumerate(dict.fromkeys(SPLITS.values()))}
LONGEST: Final = 1000  # characters of an id
_IDS: Final = "ids"  # the table of ids beside numbers of nodes


@dataclass(frozen=True)
class NodeColumns:
    """Which columns of the nodes are what."""

    id: str
    features: tuple[str, ...]
    label: str | None
    split: str | None

    @classmethod
    def of(cls, stream: Stream, files: GraphFiles) -> NodeColumns:
        """Return the columns that settings name; all that is left are features by default."""
        if files.features is not None and not isinstance(files.features, list):
            raise UserError(
                f"{stream.place}: features come from columns of the nodes here; join them to the "
                "table of nodes"
            )
        others = {"id": files.id, "label": files.label, "split": files.split}
        for setting, name in others.items():
            _check(stream, name, setting)
        named = [name for name in stream.names if name]
        if not named:
            raise UserError(f"{stream.place}: has no column of ids")
        own = files.id or named[0]
        roles = {own, files.label, files.split}
        for name in files.features or ():
            _check(stream, name, "features")
        features = files.features or [name for name in named if name not in roles]
        for name in files.kinds:
            if name not in features:
                raise UserError(
                    f"{stream.place}: kinds names {name!r}, no column of features"
                    f"{nearest(name, features)}"
                )
        return cls(own, tuple(features), files.label, files.split)


@dataclass
class _Missing:
    """The number of missing cells in a column, and the first nodes that lack one."""

    count: int = 0
    ids: list[str] = field(default_factory=list)


class _Reading:
    """Turns blocks of the table into ids and files of columns."""

    def __init__(self, store: Store, stream: Stream, files: GraphFiles) -> None:
        self.columns = NodeColumns.of(stream, files)
        self.files = files
        self.kinds: dict[str, Kind] = dict(files.kinds)
        self.numbers = ColumnFiles(store.folder)
        texts = [*self.columns.features, LABEL]
        self.levels = {name: Levels(f"{stream.place}, column {name!r}") for name in texts}
        self.missing: dict[str, _Missing] = {}
        self.nodes = 0

    def batches(self, stream: Stream) -> Iterator[Any]:
        """Yield ids beside numbers of nodes, and write all other columns."""
        pa = arrow()
        for block in stream.blocks():
            ids = texts_without_gaps(block, self.columns.id)
            cells = {name: self._cells(block, name) for name in self.columns.features}
            complete = self._complete(block, ids, cells)
            if not complete.all():
                ids = ids.filter(pa.array(complete))
                cells = {name: values[complete] for name, values in cells.items()}
            for place, name in enumerate(self.columns.features):
                self.numbers.append(f"x{place}", self._written(name, cells[name]))
            self._labels(block, complete)
            numbers = pa.array(np.arange(self.nodes, self.nodes + len(ids)))
            self.nodes += len(ids)
            yield pa.RecordBatch.from_arrays([ids, numbers], names=["id", "node"])
        self.numbers.close()

    def notes(self) -> list[str]:
        """Return what became of missing cells."""
        done = {"drop": "dropped", "fill": "filled"}.get(self.files.missing, "")
        return [
            f"column {name!r}: {gaps.count:,} missing {done} (nodes {_some(gaps)})"
            for name, gaps in self.missing.items()
        ]

    def _cells(self, block: MemoryTable, name: str) -> Cells:
        [column] = block.typed([name])
        kind, cells = cells_of(block, name, column, self.kinds.get(name))
        if len(cells):
            self.kinds[name] = kind
        if kind == "text":
            raise UserError(
                f"{block.path}, column {name!r}: holds text, which is read in memory only; say "
                f"{name}=category by kinds (--kinds), or name the columns to take (--features)"
            )
        return cells

    def _complete(
        self, block: MemoryTable, ids: Any, cells: Mapping[str, Cells]
    ) -> npt.NDArray[np.bool_]:
        """Return which rows are taken: all, unless those that lack something are dropped."""
        complete = np.ones(len(ids), dtype=bool)
        for name, values in cells.items():
            lacks = is_missing(values)
            if not lacks.any():
                continue
            rows = np.flatnonzero(lacks)
            if self.files.missing == "error":
                raise UserError(f"{block.where(int(rows[0]), name)}: a value is missing{CHOICE}")
            gaps = self.missing.setdefault(name, _Missing())
            gaps.count += len(rows)
            gaps.ids += [ids[int(row)].as_py() for row in rows[: NAMED - len(gaps.ids)]]
            if self.files.missing == "drop":
                complete &= ~lacks
        return complete

    def _written(self, name: str, cells: Cells) -> npt.NDArray[Any]:
        if self.kinds.get(name) == "category":
            return self.levels[name].codes(texts_of(cells))
        return cells.astype(np.float64, copy=False)

    def _labels(self, block: MemoryTable, complete: npt.NDArray[np.bool_]) -> None:
        if self.columns.label is not None:
            [labels] = block.text([self.columns.label])
            self.numbers.append(LABEL, self.levels[LABEL].codes(labels)[complete])
        if self.columns.split is not None:
            self.numbers.append("split", _splits(block, self.columns.split)[complete])


def read_listed(store: Store, stream: Stream, files: GraphFiles) -> dict[str, Any]:
    """Read the table of nodes, and return what is known of them.

    The nodes keep the order of the table.
    """
    reading = _Reading(store, stream, files)
    store.fill(_IDS, _schema(), reading.batches(stream))
    if reading.nodes == 0:
        reason = "every node lacks something, and is dropped" if reading.missing else "has no nodes"
        raise UserError(f"{stream.place}: {reason}")
    _refuse_repeated(store, stream, reading.columns.id)
    features = reading.columns.features
    return {
        "nodes": reading.nodes,
        "features": list(features),
        "kinds": [reading.kinds[name] for name in features],
        "levels": [reading.levels[name].names() for name in features],
        "labels": reading.levels[LABEL].names() if reading.columns.label else None,
        "split": reading.columns.split is not None,
        "notes": reading.notes(),
    }


def no_nodes(store: Store) -> dict[str, Any]:
    """Make room for the ids of nodes that no table lists, and return what is known of them."""
    store.fill(_IDS, _schema(), [])
    return {"nodes": 0, "features": [], "labels": None, "split": False}


def _schema() -> Any:
    pa = arrow()
    return pa.schema({"id": pa.string(), "node": pa.int64()})


def texts_without_gaps(block: MemoryTable, name: str) -> Any:
    """Return ids as texts of pyarrow; an empty one is an error."""
    [ids] = block.text([name])
    empty = arrow().compute.index(ids, "").as_py()
    if empty >= 0:
        raise UserError(f"{block.where(empty, name)}: the id is empty")
    return ids


def labels_of(store: Store, facts: Mapping[str, Any]) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the nodes' classes, -1 where one has none, and the classes' names in order."""
    names = arrow().array(facts["labels"], arrow().string())
    classes: list[str] = in_order(names).to_pylist()
    place = {name: number for number, name in enumerate(classes)}
    numbers = np.array([*(place[name] for name in facts["labels"]), -1], dtype=np.int64)
    return numbers[column_of(store.folder, LABEL, np.int32)], classes


def _refuse_repeated(store: Store, stream: Stream, name: str) -> None:
    repeated = store.one(
        "select id from ids group by id having count(*) > 1 order by min(node) limit 1"
    )
    if repeated is None:
        return
    second = next(islice(places_of(stream, [name], repeated), 1, None), stream.place)
    raise UserError(f"{second}: the id {repeated[0]!r} stands there a second time")


def places_of(stream: Stream, names: list[str], ids: tuple[Any, ...]) -> Iterator[str]:
    """Yield where ids stand in some columns, as messages say it: reads the stream once more."""
    pa = arrow()
    wanted = pa.array(ids, pa.string())
    for block in stream.blocks():
        columns = block.text(names)
        hits = [pa.compute.is_in(each, value_set=wanted) for each in columns]
        rows = np.stack([np.asarray(hit.to_numpy(zero_copy_only=False)) for hit in hits])
        for row in np.flatnonzero(rows.any(axis=0)):
            yield block.where(int(row), names[int(rows[:, row].argmax())])


def _splits(block: MemoryTable, name: str) -> npt.NDArray[np.int8]:
    pa = arrow()
    [parts] = block.text([name])
    parts = pa.compute.utf8_lower(parts)
    choices = pa.array([*SPLITS, ""])
    places = pa.compute.index_in(parts, value_set=choices).fill_null(-1).to_numpy()
    wrong = np.flatnonzero(places < 0)
    if len(wrong):
        text = parts[int(wrong[0])].as_py()
        raise UserError(f"{block.where(int(wrong[0]), name)}: {text!r} is none of train, val, test")
    numbers = np.array([*(SPLIT_OF[mask] for mask in SPLITS.values()), -1], dtype=np.int8)
    splits: npt.NDArray[np.int8] = numbers[places]
    return splits


def _some(gaps: _Missing) -> str:
    more = gaps.count - len(gaps.ids)
    first = ", ".join(map(repr, gaps.ids))
    return f"{first} and {more:,} more" if more > 0 else first


def _check(stream: Stream, name: str | None, setting: str) -> None:
    if name is not None and name not in stream.names:
        raise UserError(
            f"{stream.place}: no column {name!r} for {setting}{nearest(name, stream.names)}"
        )
