"""The table of edges, block by block: ids become numbers, directions and repetitions are merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from homogcl.core.arrays import array_file
from homogcl.core.errors import UserError, nearest
from homogcl.data.own.files import GraphFiles
from homogcl.data.own.ids import some
from homogcl.data.own.kinds import cells_of
from homogcl.data.own.tables import DELIMITERS, MemoryTable, arrow, ending
from homogcl.data.streamed.nodes import CHOICE, places_of, texts_without_gaps
from homogcl.data.streamed.store import INCOMING, Store
from homogcl.data.streamed.streams import Stream

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# Ends of edges that no table of nodes lists: where there is none, all of them.
_STRANGERS = (
    "select source as id from listed where s is null union "
    "select target from listed where t is null"
)
_WHOLE = "coalesce(try_cast(id as bigint)::varchar = id, false)"


def read_edges(store: Store, stream: Stream, files: GraphFiles) -> dict[str, Any]:
    """Read the table of edges, and return how many rows it has.

    Ends that are nodes become their numbers as they pass by; others stay as they are.
    """
    ends = ends_of(stream, files)
    pa = arrow()
    kinds = {"source": pa.string(), "target": pa.string()}
    kinds |= {"weight": pa.float64()} if files.weight else {}
    rows = store.fill(
        "listed",
        pa.schema(kinds),
        _batches(stream, ends, files.weight),
        "select a.node as s, b.node as t, case when a.node is null then source end as source, "
        f"case when b.node is null then target end as target{', weight' if files.weight else ''} "
        f"from {INCOMING} left join ids a on source = a.id left join ids b on target = b.id",
    )
    if rows and isinstance(path := getattr(stream, "paths", (None,))[0], Path):
        _refuse_missing_names(store, path, ends)
    return {"rows": rows}


def number_ends(
    store: Store, streams: tuple[Stream, Stream | None], files: GraphFiles, listed: int
) -> dict[str, Any]:
    """Turn the ends of edges into numbers of nodes, and return what was found on the way.

    Args:
        store: Of the import.
        streams: The edges and, if there are any, the nodes.
        files: Which columns are what, and what becomes of what is missing.
        listed: Nodes that a table lists; where there is none, they are the ends, sorted.
    """
    edges, nodes = streams
    # A stage that was killed may have added some before.
    store.database.execute(f"delete from ids where node >= {listed}")
    store.database.execute(f"create or replace table strangers as {_STRANGERS}")
    notes = [] if nodes is None else _strangers(store, edges, nodes, files)
    if nodes is None or files.missing == "fill":
        order = "id::bigint" if nodes is None and _all_whole(store, "strangers") else "id"
        store.database.execute(
            f"insert into ids select id, {listed} + row_number() over (order by {order}) - 1 "
            "from strangers"
        )
    count, longest = store.one("select count(*), max(length(id)) from ids")
    if count == 0:
        raise UserError(f"{edges.place}: has no edges, and no table lists the nodes")
    weight = ", weight" if files.weight else ""
    store.database.execute(
        f"create or replace table pairs as select coalesce(s, a.node) as s, "
        f"coalesce(t, b.node) as t{weight} from listed left join ids a on source = a.id "
        "left join ids b on target = b.id "
        "where coalesce(s, a.node) is not null and coalesce(t, b.node) is not null"
    )
    rows, loops = store.one("select count(*), count(*) filter (s = t) from pairs")
    if dropped := store.one("select count(*) from listed")[0] - rows:
        notes.append(f"{dropped:,} edges of nodes that are not there dropped")
    counts = {"nodes": count, "rows": rows, "self_loops": loops, "whole": _all_whole(store, "ids")}
    return {**counts, "longest": longest, "notes": notes}


@dataclass
class Merged:
    """What was counted while edges were merged."""

    degree: Ints  # [N]
    directions: int = 0  # different ordered pairs that were listed
    labeled: int = 0  # edges, both ways, both of whose ends have a label
    same: int = 0  # of these, with equal labels
    class_ends: Ints | None = None  # sources of these edges by class


def write_edges(store: Store, folder: Path, nodes: int, weighted: bool, y: Ints | None) -> Merged:
    """Write both directions of every edge once, sorted, as `edge_index` and `edge_weight`.

    The weight of an edge is the mean of all rows that list it. Self-loops are left out.
    """
    weight = ", weight" if weighted else ""
    query = (
        f"select (s * {nodes} + t) * 2 + 1 as key{weight} from pairs where s <> t union all "
        f"select (t * {nodes} + s) * 2{weight} from pairs where s <> t order by key"
    )
    merged = Merged(np.zeros(nodes, dtype=np.int64))
    if y is not None:
        merged.class_ends = np.zeros(max(1, int(y.max(initial=-1)) + 1), dtype=np.int64)
    targets = store.folder / "targets.raw"
    with ExitStack() as stack:
        ends = stack.enter_context(array_file(folder / "edge_index.npy", np.int64))
        other = stack.enter_context(targets.open("wb"))
        weights = None
        if weighted:
            weights = stack.enter_context(array_file(folder / "edge_weight.npy", np.float32))
        for keys, means, listed in _groups(store.batches(query), weighted):
            source, target = keys // nodes, keys % nodes
            ends.append(source)
            other.write(target.data)
            if weights is not None:
                weights.append(means)
            _count(merged, source, target, y)
            merged.directions += int(listed.sum())
            store.say("edges merged", ends.size)
        other.flush()
        count = ends.size
        ends.append_file(targets)
        ends.shape = (2, count)
    return merged


def _groups(batches: Iterator[Any], weighted: bool) -> Iterator[tuple[Ints, Floats, Any]]:
    """Yield ordered pairs once each, the mean of their weights, and whether they were listed.

    The last bit of a key says whether its row lists the pair in this order.
    """
    rest, rest_weight = np.empty(0, dtype=np.int64), np.empty(0)
    for batch in batches:
        keys = np.concatenate([rest, batch.column(0).to_numpy(zero_copy_only=False)])
        weight = np.concatenate([rest_weight, batch.column(1).to_numpy()]) if weighted else None
        pairs = keys >> 1
        # The last pair may go on in the next batch.
        end = int(np.searchsorted(pairs, pairs[-1])) if len(pairs) else 0
        if end:
            yield _merged(keys[:end], None if weight is None else weight[:end])
        rest = keys[end:]
        rest_weight = rest_weight if weight is None else weight[end:]
    if len(rest):
        yield _merged(rest, rest_weight if weighted else None)


def _merged(keys: Ints, weight: Floats | None) -> tuple[Ints, Floats, Any]:
    pairs = keys >> 1
    last = np.append(pairs[1:] != pairs[:-1], True)
    ends = np.flatnonzero(last) + 1
    starts = np.concatenate([[0], ends[:-1]])
    means = np.empty(0) if weight is None else np.add.reduceat(weight, starts) / (ends - starts)
    return pairs[last], means, (keys[last] & 1).astype(bool)


def _count(merged: Merged, source: Ints, target: Ints, y: Ints | None) -> None:
    first = int(source[0])
    counts = np.bincount(source - first)
    merged.degree[first : first + len(counts)] += counts
    if y is None or merged.class_ends is None:
        return
    here, there = y[source], y[target]
    labeled = (here >= 0) & (there >= 0)
    merged.labeled += int(labeled.sum())
    merged.same += int((here == there)[labeled].sum())
    ends = np.bincount(here[labeled], minlength=len(merged.class_ends))
    merged.class_ends += ends


def _batches(stream: Stream, ends: tuple[str, str], weight: str | None) -> Iterator[Any]:
    pa = arrow()
    for block in stream.blocks():
        columns = [texts_without_gaps(block, name) for name in ends]
        if weight is not None:
            columns.append(pa.array(_weights(block, weight)))
        yield pa.RecordBatch.from_arrays(
            columns, names=["source", "target", "weight"][: len(columns)]
        )


def _weights(block: MemoryTable, name: str) -> Floats:
    [column] = block.typed([name])
    _, weights = cells_of(block, name, column, "number")
    for row in np.flatnonzero(~(weights > 0))[:1]:
        value = weights[row]
        reason = f"the weight {value:g} is not above 0"
        reason = reason if np.isfinite(value) else "a finite number is missing"
        raise UserError(f"{block.where(int(row), name)}: {reason}")
    return weights


def ends_of(stream: Stream, files: GraphFiles) -> tuple[str, str]:
    """Return the columns of an edge's ends."""
    named = [name for name in stream.names if name]
    settings = {"source": files.source, "target": files.target, "weight": files.weight}
    for setting, name in settings.items():
        if name is not None and name not in named:
            raise UserError(
                f"{stream.place}: no column {name!r} for {setting}{nearest(name, named)}"
            )
    if len(named) < 2:
        raise UserError(f"{stream.place}: no column 2 for target; has {named}")
    return files.source or named[0], files.target or named[1]


def _strangers(store: Store, edges: Stream, nodes: Stream, files: GraphFiles) -> list[str]:
    """Refuse ends that no node is, or return what becomes of them."""
    [count] = store.one("select count(*) from strangers")
    if count == 0:
        return []
    if store.one("select count(s) + count(t) from listed")[0] == 0:
        raise UserError(f"{nodes.place}: none of its ids occurs in {edges.place}")
    if files.missing == "error":
        first = store.one("select id from strangers order by id limit 1")
        place = next(places_of(edges, list(ends_of(edges, files)), first))
        more = f" (nor are {count - 1:,} more)" if count > 1 else ""
        raise UserError(f"{place}: the node {first[0]!r} is not in {nodes.place}{more}{CHOICE}")
    done = {"drop": "dropped", "fill": "filled"}[files.missing]
    rows = store.database.execute("select id from strangers order by id limit 5").fetchall()
    names = some([*(row[0] for row in rows)])
    names += f" and {count - len(rows):,} more" if count > len(rows) else ""
    return [f"nodes: {count:,} not in {nodes.place} {done} ({names})"]


def _refuse_missing_names(store: Store, path: Path, names: tuple[str, str]) -> None:
    """Refuse a first line that seems to be an edge and was taken for the names."""
    for name in names if ending(path) in DELIMITERS else ():
        query = (
            "select 1 from listed where source = ? or target = ? "
            "or (select node from ids where id = ?) in (s, t) limit 1"
        )
        if store.one(query, [name, name, name]):
            raise UserError(
                f"{path} line 1: {name!r} is also a node, so the file seems to lack the line of "
                "column names; add one, or let the file's name end in .edges"
            )


def _all_whole(store: Store, table: str) -> bool:
    """Return whether all ids are whole numbers, as they are usually written."""
    return bool(store.one(f"select bool_and({_WHOLE}) from {table}")[0])


def notes_of(*stages: Mapping[str, Any]) -> list[str]:
    """Return the notes of stages, one after the other."""
    return [note for facts in stages for note in facts.get("notes", [])]
