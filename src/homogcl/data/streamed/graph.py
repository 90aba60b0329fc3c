"""From tables that do not fit in memory to a graph on disk, in stages that a kill does not undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from homogcl.core.arrays import array_file
from homogcl.core.errors import UserError
from homogcl.core.files import only_process_in
from homogcl.data.features import FeatureKind, normalize
from homogcl.data.mapped import IDS, complete, is_mapped, refuse_arrays
from homogcl.data.own.files import GraphFiles, description, graph_files, validated_files
from homogcl.data.own.graph import unused_columns
from homogcl.data.recipe import Recipe
from homogcl.data.scaling import Scaling
from homogcl.data.streamed.cells import column_of
from homogcl.data.streamed.databases import QueryStream, database_of
from homogcl.data.streamed.edges import (
    Merged,
    ends_of,
    notes_of,
    number_ends,
    read_edges,
    write_edges,
)
from homogcl.data.streamed.features import write_features
from homogcl.data.streamed.nodes import LONGEST, SPLIT_OF, labels_of, no_nodes, read_listed
from homogcl.data.streamed.store import Say, Store, opened_store, remove_store
from homogcl.data.streamed.streams import Stream, file_stream
from homogcl.data.structural import DIM, OVERSAMPLING, structural_features
from homogcl.data.summary import GraphSummary

FORMAT: Final = 2  # of what an import leaves for the next one to go on with


@dataclass(frozen=True)
class TableStreams:
    """The streams of edges and nodes, and which of their columns are what."""

    edges: Stream
    nodes: Stream | None
    files: GraphFiles

    def __post_init__(self) -> None:
        for setting in ("features", "label", "split", "kinds") if self.nodes is None else ():
            if getattr(self.files, setting):
                raise UserError(
                    f"{self.edges.place}: {setting} is about columns of the nodes; give nodes, too"
                )

    def origin(self, features: FeatureKind) -> dict[str, object]:
        """Return all that decides what an import makes, without any secret."""
        streams = [self.edges, *([self.nodes] if self.nodes else [])]
        states = [{"place": each.place, **each.state()} for each in streams]
        columns = self.files.model_dump(exclude={"edges", "nodes"})
        return {"format": FORMAT, "tables": states, "columns": columns, "features": features}


def tables_of(source: str, settings: Mapping[str, object]) -> TableStreams:
    """Return the tables that a source names.

    Args:
        source: A database, as `database_of` knows it, where the settings `edges` and `nodes` are
            queries; a folder with a `graph.toml`; or a file of edges, a folder of such or a glob,
            where `nodes` may be one too.
        settings: What `graph.toml` could say of it.
    """
    database = database_of(source)
    if database is not None:
        return _queries(database, settings)
    place = Path(source).expanduser()
    if description(place) is not None and (description(place) or place).exists():
        files = graph_files(place, settings)
    elif "edges" in settings:
        raise UserError(f"{source}: is no database, so that it takes no query of edges")
    else:
        files = validated_files({**settings, "edges": place}, source)
    edges = file_stream(files.edges, names_optional=True)
    nodes = file_stream(files.nodes, names_optional=False) if files.nodes else None
    return TableStreams(edges, nodes, files)


def stream_graph(
    tables: TableStreams, folder: Path, memory: int, say: Say, features: FeatureKind = "auto"
) -> tuple[GraphSummary, list[str]]:
    """Write the graph of tables as a folder for `open_mapped`, and return what was counted.

    The graph is the one that `load` reads from the same tables. One that was killed goes on where
    its last stage ended.

    Args:
        tables: What is read.
        folder: Where the graph will lie.
        memory: Bytes that this process may take.
        say: Hears of progress.
        features: How features are scaled.

    Returns:
        The summary, and notes on what was missing.
    """
    with only_process_in(folder):
        if is_mapped(folder):
            remove_store(folder)  # an import that was killed after its last stage left it
        refuse_arrays(folder)
        with opened_store(folder, tables.origin(features), memory, say) as store:
            return _written(store, tables, folder, features)


def _written(
    store: Store, tables: TableStreams, folder: Path, features: FeatureKind
) -> tuple[GraphSummary, list[str]]:
    edges, nodes, files = tables.edges, tables.nodes, tables.files
    listed = store.stage(
        "nodes", lambda: no_nodes(store) if nodes is None else read_listed(store, nodes, files)
    )
    store.stage("edges", lambda: read_edges(store, edges, files))
    ends = store.stage(
        "numbers", lambda: number_ends(store, (edges, nodes), files, listed["nodes"])
    )
    store.database.execute("drop table if exists listed")
    count = ends["nodes"]
    y, classes = labels_of(store, listed) if listed["labels"] is not None else (None, [])
    if y is not None:
        y = np.append(y, np.full(count - len(y), -1))
    merged = write_edges(store, folder, count, files.weight is not None, y)
    with array_file(folder / "crow.npy", np.int64) as crow:
        crow.append(np.concatenate([[0], merged.degree.cumsum()]))
    _write_ids(store, folder, ends)
    if y is not None:
        with array_file(folder / "y.npy", np.int64) as file:
            file.append(y)
    if listed["split"]:
        _write_masks(store, folder, count)
    if listed["features"]:
        recipe = write_features(store, folder, listed, count, features)
        width = recipe.scaling.width or sum(len(column.names) for column in recipe.columns)
    else:
        recipe, width = _write_structural(store, folder, count)
    # Only now does the folder look like a graph.
    complete(folder, (count, width), classes, recipe)
    summary = _summary(ends, merged, width, len(classes), structural=not listed["features"])
    beside = unused_columns(
        files, ends_of(edges, files), edges.names, None if nodes is None else nodes.names
    )
    return summary, [*notes_of(listed, ends), *beside, f"features: {recipe}"]


def _write_ids(store: Store, folder: Path, ends: Mapping[str, Any]) -> None:
    if ends["longest"] > LONGEST:
        raise UserError(f"an id has {ends['longest']:,} characters; {LONGEST:,} are allowed")
    kind = np.int64 if ends["whole"] else f"<U{max(1, ends['longest'])}"
    column = "id::bigint" if ends["whole"] else "id"
    with array_file(folder / f"{IDS}.npy", kind) as ids:
        for batch in store.batches(f"select {column} as id from ids order by node", 2**16):
            values = batch.column(0)
            ids.append(np.array(values if ends["whole"] else values.to_pylist(), dtype=kind))
            store.say("ids", ids.size)


def _write_masks(store: Store, folder: Path, nodes: int) -> None:
    split = column_of(store.folder, "split", np.int8)
    for mask, number in SPLIT_OF.items():
        with array_file(folder / f"{mask}.npy", np.bool_) as file:
            file.append(np.append(split == number, np.zeros(nodes - len(split), dtype=bool)))


def _write_structural(store: Store, folder: Path, nodes: int) -> tuple[Recipe, int]:
    """Write features made of the edges, if their making fits in memory."""
    edge_index = np.load(folder / "edge_index.npy", mmap_mode="r")
    need = 8 * (4 * nodes * (DIM + OVERSAMPLING) + 5 * edge_index.shape[1])
    if need > store.memory:
        raise UserError(
            f"there are no features, and to make some of the edges takes {need / 1e9:.1f} GB of "
            "memory; give a table of nodes with features, or more memory (--memory)"
        )
    path = folder / "edge_weight.npy"
    weight = torch.from_numpy(np.load(path)) if path.exists() else None
    x = structural_features(torch.from_numpy(np.array(edge_index)), nodes, edge_weight=weight)
    x = normalize(x)
    with array_file(folder / "x.npy", np.float32, x.size(1)) as file:
        file.append(x.numpy())
    return Recipe((), Scaling(words="all")), x.size(1)


def _summary(
    ends: Mapping[str, Any], merged: Merged, width: int, classes: int, *, structural: bool
) -> GraphSummary:
    nodes, degree = ends["nodes"], merged.degree
    edges = int(degree.sum())
    homophily, adjusted = _homophily(merged)
    return GraphSummary(
        nodes=nodes,
        edges=edges // 2,
        features=width,
        classes=classes,
        density=edges / max(1, nodes * (nodes - 1)),
        rows=ends["rows"],
        self_loops=ends["self_loops"],
        duplicates=ends["rows"] - ends["self_loops"] - merged.directions,
        one_way=edges - merged.directions,
        isolated=int((degree == 0).sum()),
        degree_min=int(degree.min()),
        degree_median=float(np.median(degree)),
        degree_max=int(degree.max()),
        labeled_edges=merged.labeled // 2,
        homophily=homophily,
        adjusted_homophily=adjusted,
        structural=structural,
    )


def _homophily(merged: Merged) -> tuple[float | None, float | None]:
    if not merged.labeled or merged.class_ends is None:
        return None, None
    same = merged.same / merged.labeled
    chance = float(((merged.class_ends / merged.labeled) ** 2).sum())
    return same, float("nan") if chance >= 1 else (same - chance) / (1 - chance)


def _queries(database: tuple[str, str, str], settings: Mapping[str, object]) -> TableStreams:
    name = database[0]
    edges, nodes = settings.get("edges"), settings.get("nodes")
    if not edges:
        raise UserError(f'{name}: say what its edges are: --edges "select source, target from ..."')
    values = {**settings, "edges": "edges", "nodes": "nodes" if nodes else None}
    files = validated_files(values, name)
    rows = QueryStream(*database, str(nodes)) if nodes else None
    return TableStreams(QueryStream(*database, str(edges)), rows, files)
