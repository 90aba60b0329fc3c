"""Graphs by name or from files: read, checked, normalized and split."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.distributed import ranks_of
from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.catalog import graph_name, own_path, plain_name, reader, resolved_name
from homogcl.data.check import MASKS, validate
from homogcl.data.edges import undirected
from homogcl.data.features import FeatureKind, compact
from homogcl.data.hashes import file_sha256, tensor_sha256
from homogcl.data.held.graph import HeldGraph, as_graph
from homogcl.data.mapped import INDEX, is_mapped, is_on_disk, open_mapped
from homogcl.data.names import original_ids
from homogcl.data.other_features import other_features
from homogcl.data.own.graph import read_own
from homogcl.data.published.download import raw_files
from homogcl.data.published.root import data_root, sha256
from homogcl.data.published.sources import SOURCES
from homogcl.data.recipe import Recipe, scale_features
from homogcl.data.shared_rows import SharedRows
from homogcl.data.shares import demo_shares
from homogcl.data.splits import SplitKind, SplitName, random_split_of
from homogcl.data.structural import cached_structural_features, features_of_edges
from homogcl.data.summary import summarize
from homogcl.data.synthetic import citation_graph

__all__ = ["DataConfig", "citation_graph", "load", "prepared"]

HELD = "graph"  # what a graph in memory is called


class DataConfig(Config):
    """How a data set is prepared."""

    features: FeatureKind = "row"
    split: SplitName | None = None  # None: public where the data set has one, else random


def load(
    name: HeldGraph,
    root: str | Path | None = None,
    *,
    features: FeatureKind | None = None,
    split: SplitName | None = None,
    seed: int = 0,
    files: Mapping[str, object] | None = None,
    recipe: Recipe | None = None,
) -> Data:
    """Return a graph that every method and evaluation takes.

    Args:
        name: One of `data_names()`, where case and the characters - and _ do not matter; the name
            of another generated graph, as `demo_shares` reads it; the path of a user's own graph,
            as `read_own` takes it, or a folder of `write_mapped` or `write_share`; or a graph that
            somebody holds in Python, as `as_graph` takes it.
        root: Folder of all data sets; else `$HOMOGCL_DATA`, else the XDG cache. Published data
            sets that are missing there are downloaded into it.
        features: How features are scaled, as `scaling_of` has it: by default "row" for data sets
            and "auto" for a user's own graph; "structural" replaces them by 128 made of the edges.
            A mapped graph keeps those that were written.
        split: "public" takes the masks that came with the graph, "random" draws 10/10/80 % of
            the labeled nodes; by default the masks where there are any.
        seed: Root seed, from whose stream "split" the random split is drawn. Structural features
            of a user's own graph are made with it too, those of a data set always with seed 0.
        files: Settings of `graph.toml` for the files at a path; for a data set `features`, a file
            that stands in for its own, as `OtherFeatures` has it. These are scaled as those of a
            user's own graph.
        recipe: What was done to the features of the graph that a method was trained on: the same
            is done to these, whatever `features` says.

    The graph has `x` float32 [N, d] (CSR if sparse), `edge_index` [2, E] (both directions, sorted,
    no self-loops), `y` [N] if it has labels (-1 where a node has none), the masks `train_mask`,
    `val_mask`, `test_mask` [N], and the strings `name`, `split_name` and `sha256`: over the raw
    files, or over the tensors if there are none. It has `structural` where the features may be made
    of the edges, and `recipe`: what was done to the features. A user's own graph also has `ids`,
    `class_names`, `feature_names`, `report` (one line that sums it up) and `files`, their hashes by
    name.
    """
    named = isinstance(name, str | Path)
    path = own_path(name) if named else None
    own = path is not None or not named
    other = other_features(name, files or {}) if named else None
    if other is not None and features == "structural":
        raise UserError(f"{name}: {other.path} and structural are two kinds of features; give one")
    if not named:
        graph = _held(name, seed, files or {}, recipe)
    elif path is not None and is_mapped(path):
        graph = _mapped(path, files or {})
    elif path is not None:
        graph = _own(path, seed, files or {}, recipe)
    else:
        graph = _published(resolved_name(str(name)), root)
    if other is not None:
        other.put_on(graph, str(name), () if recipe is None else recipe.columns)
    if not is_on_disk(graph):
        if features == "structural" or graph.x.size(1) == 0:
            _make_structural(graph, seed if own else None)
            features, recipe = "structural", None
        usual: FeatureKind = "auto" if own or other else "row"
        scale_features(graph, features or usual, recipe)
        if (own or other) and not graph.get("structural"):
            graph.report = f"{graph.report}; features: {graph.recipe}"
    masks, graph.split_name = _masks(graph, str(name) if named else HELD, split, seed)
    for key, mask in zip(MASKS, masks, strict=True):
        graph[key] = mask
    graph.name = graph_name(name, other.path if other else None) if named else HELD
    return graph


def _published(name: str, root: str | Path | None) -> Data:
    graph, digest = _read(name, data_root(root))
    result = prepared(graph, name)
    result.sha256 = digest
    return result


def prepared(graph: Data, name: str) -> Data:
    """Return a graph with what methods and evaluations need, checked and its edges both ways.

    `name` is what messages call it.
    """
    validate(graph, name)
    edge_index, edge_weight = undirected(
        graph.edge_index, graph.x.size(0), graph.get("edge_weight")
    )
    result = Data(x=compact(graph.x), edge_index=edge_index)
    if edge_weight is not None:
        result.edge_weight = edge_weight.to(torch.float32)
    for key in ("y", *MASKS):
        if graph.get(key) is not None:
            result[key] = graph[key]
    return result


def _held(held: HeldGraph, seed: int, files: Mapping[str, object], recipe: Recipe | None) -> Data:
    if files:
        raise UserError(f"{', '.join(files)} belongs to files; homogcl.Tables takes the same names")
    source = as_graph(held, seed=seed, recipe=recipe)
    if source.get("x") is None:
        source = _with_structural(source, seed)
    graph = prepared(source, f"the {HELD}")
    graph.ids, graph.files, graph.sha256 = original_ids(source), {}, tensor_sha256(source)
    for key in ("class_names", "feature_names", "structural", "columns", "recipe"):
        if source.get(key) is not None:
            graph[key] = source[key]
    is_structural = bool(graph.get("structural"))
    graph.report = source.get("report") or str(summarize(source, structural=is_structural))
    return graph


def _with_structural(graph: Data, seed: int) -> Data:
    """Return a copy of a graph that has no features with some made of its edges."""
    result = copy.copy(graph)
    result.x, result.structural = features_of_edges(graph, seed), True
    return result


def _mapped(folder: Path, files: Mapping[str, object]) -> Data:
    if files:
        raise UserError(f"{folder} is a mapped graph; {', '.join(files)} belongs to files")
    graph = open_mapped(folder)
    _check_processes(folder, graph.x)
    graph.files = {INDEX: graph.sha256}
    graph.report = f"{graph.num_nodes:,} nodes, {graph.num_edges // 2:,} edges, on disk"
    return graph


def _check_processes(folder: Path, x: Tensor) -> None:
    """Refuse a share of a graph where not as many processes have been started as shares."""
    if isinstance(x, SharedRows) and ranks_of(os.environ).size != x.share.count:
        raise UserError(
            f"{folder} is share {x.share} of a graph: train with {x.share.count} processes, each "
            "with another share, or give a whole copy"
        )


def _make_structural(graph: Data, seed: int | None) -> None:
    """Give a graph features made of its edges, unless it has such.

    Those of a data set, which has no seed of its own, are kept on disk where they take long.
    """
    if graph.get("structural"):
        return
    if graph.x.size(1) == 0:
        graph.report = "features made of the edges, since their file is not there"
    if seed is None:
        graph.x = cached_structural_features(graph)
    else:
        graph.x = features_of_edges(graph, seed)
    graph.structural, graph.feature_names, graph.columns = True, [], ()


def _own(path: Path, seed: int, files: Mapping[str, object], recipe: Recipe | None) -> Data:
    own = read_own(path, seed=seed, recipe=recipe, **files)
    graph = own.graph()
    graph.files = file_sha256(own, path)
    has_columns = isinstance(files.get("features"), list)
    names_of_files = {"nodes"} if has_columns else {"nodes", "features"}
    columns = {key: value for key, value in files.items() if key not in names_of_files}
    origin = json.dumps([graph.files, columns], sort_keys=True, default=str)
    graph.sha256 = hashlib.sha256(origin.encode()).hexdigest()
    return graph


def _read(name: str, root: Path) -> tuple[Data, str]:
    """Return the graph as its source has it, and the sha256 of the files or tensors."""
    if name in SOURCES:
        files = raw_files(SOURCES[name], root)
        return SOURCES[name].parse(files), sha256(files)
    if (shares := demo_shares(plain_name(name))) is not None:
        graph = citation_graph(homophily=shares.homophily, topic_share=shares.topic_share)
    else:
        graph = reader(name)(root)
        if not isinstance(graph, Data):
            raise UserError(f"{name}: its package gave a {type(graph).__name__} instead of a graph")
    return graph, tensor_sha256(graph)


def _masks(
    graph: Data, name: str, split: SplitName | None, seed: int
) -> tuple[list[Tensor], SplitKind]:
    nodes = graph.x.size(0)
    labeled = graph.y >= 0 if "y" in graph else torch.zeros(nodes, dtype=torch.bool)
    if not bool(labeled.any()):
        return [labeled] * len(MASKS), "none"
    published = all(graph.get(key) is not None for key in MASKS)
    if split == "public" and not published:
        raise UserError(f"{name} has no public split; use split = random")
    if split == "public" or (split is None and published):
        return [graph[key] & labeled for key in MASKS], "public"
    return list(random_split_of(labeled, stream(seed, "split"))), "random"
