"""Graphs by name: read, checked, normalized and split."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.config import Config
from homogcl.data.check import MASKS, validate
from homogcl.data.edges import undirected
from homogcl.data.features import Normalization, compact, normalize
from homogcl.data.names import class_names, node_ids
from homogcl.data.root import data_root, sha256
from homogcl.data.sources import SOURCES, Source, raw_files
from homogcl.data.splits import SplitName, random_split
from homogcl.data.statistics import Statistics, edge_homophily, statistics
from homogcl.data.synthetic import citation_graph
from homogcl.errors import UnknownName, UserError
from homogcl.streams import stream

__all__ = [
    "DataConfig",
    "Source",
    "Statistics",
    "citation_graph",
    "class_names",
    "data_names",
    "edge_homophily",
    "load",
    "node_ids",
    "source",
    "statistics",
    "validate",
]

ENTRY_POINTS = "homogcl.datasets"


class DataConfig(Config):
    """How a data set is prepared."""

    features: Normalization = "row"
    split: SplitName | None = None  # None: public where the data set has one, else random


def data_names() -> list[str]:
    """Return the names that `load` knows: built in, then registered by other packages."""
    return ["demo", *SOURCES, *(name for name in _registered() if not _is_built_in(name))]


def source(name: str) -> Source | None:
    """Return title, files and origin of a published data set, or None for any other."""
    return SOURCES.get(_resolve(name))


def load(
    name: str,
    root: str | Path | None = None,
    *,
    features: Normalization = "row",
    split: SplitName | None = None,
    seed: int = 0,
) -> Data:
    """Return a data set as a graph that every method and evaluation takes.

    Args:
        name: One of `data_names()`; case and the characters - and _ do not matter.
        root: Folder of all data sets; else `$HOMOGCL_DATA`, else the XDG cache. Published data
            sets that are missing there are downloaded into it.
        features: "row" divides each row by its sum, "raw" leaves features as published.
        split: "public" takes the published masks, "random" draws 10/10/80 %; by default the
            published masks where there are any.
        seed: Root seed, from whose stream "split" the random split is drawn.

    The graph has `x` float32 [N, d] (CSR if sparse), `edge_index` [2, E] (both directions, sorted,
    no self-loops), `y` [N], the masks `train_mask`, `val_mask`, `test_mask` [N], and the strings
    `name`, `split_name` and `sha256`: over the raw files, or over the tensors if there are none.
    """
    name = _resolve(name)
    graph, digest = _read(name, data_root(root))
    validate(graph, name)
    edge_index, edge_weight = undirected(
        graph.edge_index, graph.x.size(0), graph.get("edge_weight")
    )
    result = Data(x=normalize(compact(graph.x), features), edge_index=edge_index)
    if edge_weight is not None:
        result.edge_weight = edge_weight.to(torch.float32)
    if graph.get("y") is not None:
        result.y = graph.y
    masks, result.split_name = _masks(graph, name, split, seed)
    for key, mask in zip(MASKS, masks, strict=True):
        result[key] = mask
    result.name, result.sha256 = name, digest
    return result


def _read(name: str, root: Path) -> tuple[Data, str]:
    """Return the graph as its source gives it, and the sha256 of what was read."""
    if name in SOURCES:
        files = raw_files(SOURCES[name], root)
        return SOURCES[name].parse(files), sha256(files)
    if name == "demo":
        graph = citation_graph()
    else:
        read: Callable[[Path], Data] = _registered()[name].load()
        graph = read(root)
        if not isinstance(graph, Data):
            raise UserError(f"{name}: its package gave a {type(graph).__name__} instead of a graph")
    return graph, _tensor_sha256(graph)


def _masks(
    graph: Data, name: str, split: SplitName | None, seed: int
) -> tuple[list[Tensor], SplitName]:
    published = all(graph.get(key) is not None for key in MASKS)
    if split == "public" and not published:
        raise UserError(f"{name} has no public split; use split = random")
    if split == "public" or (split is None and published):
        return [graph[key] for key in MASKS], "public"
    return list(random_split(graph.x.size(0), stream(seed, "split"))), "random"


def _tensor_sha256(graph: Data) -> str:
    digest = hashlib.sha256()
    for key in ("x", "edge_index", "edge_weight", "y", *MASKS):
        value = graph.get(key)
        if not isinstance(value, Tensor):
            continue
        parts = [value]
        if value.layout == torch.sparse_csr:
            parts = [value.crow_indices(), value.col_indices(), value.values()]
        digest.update(f"{key} {value.dtype} {tuple(value.shape)}".encode())
        for part in parts:
            digest.update(part.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _registered() -> dict[str, EntryPoint]:
    """Return the readers of other packages: callables from the data root to a graph."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _is_built_in(name: str) -> bool:
    return name == "demo" or name in SOURCES


def _resolve(name: str) -> str:
    names = data_names()
    if name in names:
        return name
    plain = name.lower().replace("-", "").replace("_", "")
    if plain not in names:
        raise UnknownName("data set", name, names)
    return plain
