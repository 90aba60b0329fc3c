"""Graphs that stay on disk: a folder of arrays that are mapped into memory, not read.

Reading a row touches the pages it lies on and no others, so that training by batches needs the
memory of its batches however large the graph is. Only what points somewhere, such as the ends of
edges, is looked through once when a graph is opened: kernels read where it points.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from pydantic import Field, ValidationError, field_validator
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.arrays import array_file
from homogcl.core.config import Config, first_problem
from homogcl.core.csr import csr_tensor
from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.scratch import drop_pages
from homogcl.data.recipe import Recipe
from homogcl.data.shared_rows import Share, SharedRows

FORMAT = 2
INDEX = "mapped.json"  # written last: a folder without it is not complete
_PLAIN = ("edge_index", "edge_weight", "crow", "y", "train_mask", "val_mask", "test_mask")
IDS = "ids"
_SPARSE = ("x_crow", "x_col", "x_value")
# Kinds of the arrays' numbers, as numpy names them: whole, truth values, else fractions.
_KINDS = {
    **dict.fromkeys(("edge_index", "crow", "x_crow", "x_col", "y"), "i"),
    **dict.fromkeys(("train_mask", "val_mask", "test_mask"), "b"),
}
_CHUNK = 2**24  # numbers that are looked at together
_ROWS = 64  # rows of features that are read together


class Index(Config):
    """The description of a folder's arrays."""

    format: int
    nodes: int = Field(ge=0)
    features: int = Field(ge=0)
    arrays: list[str]
    names: list[Literal["ids"]]
    class_names: list[str]
    sha256: str
    recipe: Recipe | None = None
    share: Share | None = None  # of the features, where not all are here; the hash is of all

    @field_validator("arrays")
    @classmethod
    def _are_those_of_a_graph(cls, arrays: list[str]) -> list[str]:
        features = {"x"} if "x" in arrays else {*_SPARSE}
        needed = {"crow", "edge_index", *features}
        if not needed <= set(arrays) <= needed | {*_PLAIN}:
            raise ValueError("these are not the arrays of one graph")
        return arrays

    @property
    def rows(self) -> int:
        """The number of nodes whose features are here."""
        return self.nodes if self.share is None else len(self.share.nodes(self.nodes))


def write_mapped(graph: Data, folder: Path) -> Path:
    """Write `graph`, whose edges are sorted by source, as a folder for `open_mapped`."""
    source = graph.edge_index[0]
    if bool((source.diff() < 0).any()):
        raise UserError("the edges of a graph to be mapped must be sorted by source")
    refuse_arrays(folder)
    nodes = int(graph.num_nodes or 0)
    counts = torch.bincount(source, minlength=nodes)
    arrays: dict[str, Tensor] = {"crow": torch.cat([counts.new_zeros(1), counts.cumsum(0)])}
    arrays |= {key: graph[key] for key in _PLAIN if isinstance(graph.get(key), Tensor)}
    if graph.x.layout == torch.sparse_csr:
        parts = (graph.x.crow_indices(), graph.x.col_indices(), graph.x.values())
        arrays |= dict(zip(_SPARSE, parts, strict=True))
    else:
        arrays["x"] = graph.x
    for name, array in arrays.items():
        _save(folder / f"{name}.npy", array.numpy())
    if "ids" in graph:
        _save(folder / f"{IDS}.npy", np.asarray(graph.ids))
    recipe = graph.recipe if "recipe" in graph else None
    class_names = list(graph.get("class_names") or [])
    return complete(folder, (nodes, int(graph.x.size(1))), class_names, recipe)


def complete(
    folder: Path, shape: tuple[int, int], class_names: list[str], recipe: Recipe | None
) -> Path:
    """Make a graph of the arrays that lie in `folder`, and return it: the index comes last.

    Args:
        folder: Holds the arrays, each written whole.
        shape: Of the features.
        class_names: In the order of `y`.
        recipe: How the features came about.
    """
    possible = {*_PLAIN, *_SPARSE, "x"}
    arrays = sorted(name for name in possible if (folder / f"{name}.npy").exists())
    names = [IDS] if (folder / f"{IDS}.npy").exists() else []
    index = {
        "format": FORMAT,
        "nodes": shape[0],
        "features": shape[1],
        "arrays": arrays,
        "names": names,
        "class_names": class_names,
        "sha256": _sha256(folder, [*arrays, *names]),
        "recipe": None if recipe is None else asdict(recipe),
    }
    write_atomically(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())
    return folder


def refuse_arrays(folder: Path) -> None:
    """Refuse a folder that holds a graph, and remove what a killed process left of one."""
    if (folder / INDEX).exists():
        raise UserError(f"{folder} holds a graph already")
    for name in (*_PLAIN, *_SPARSE, "x", IDS):
        (folder / f"{name}.npy").unlink(missing_ok=True)


def _save(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array that lasts through a loss of power, whole or not at all."""
    with array_file(path, array.dtype) as file:
        file.append(array)
        file.shape = array.shape


def is_mapped(folder: Path) -> bool:
    """Return whether `folder` holds a graph that `open_mapped` opens."""
    return (folder / INDEX).is_file()


def open_mapped(folder: Path) -> Data:
    """Return the graph of a folder; its features are read when they are used.

    The graph is an ordinary one, with `crow`, the row pointers of its edges, beside them. Its
    `pages` lets go of what has been read so far: see `release`.
    """
    index = read_index(folder)
    for name in index.arrays:
        _check_array(folder / f"{name}.npy", name, index)
    pages = Pages()
    arrays = {name: pages.tensor(folder / f"{name}.npy") for name in index.arrays}
    edges = arrays["edge_index"].size(1)
    ends = [int(arrays["crow"][-1]) == edges, len(arrays.get("edge_weight", range(edges))) == edges]
    if "x" not in arrays:
        crow, col, value = (arrays.pop(name) for name in _SPARSE)
        ends += [int(crow[-1]) == len(col), len(col) == len(value)]
        arrays["x"] = csr_tensor(crow, col, value, (index.nodes, index.features))
    elif index.share is not None:
        shape = (index.nodes, index.features)
        arrays["x"] = SharedRows.of(shape, index.share, partial(read_rows, arrays["x"], pages))
    if not all(ends):
        raise UserError(f"{folder}: its arrays are not of one graph; write it anew")
    graph = Data(num_nodes=index.nodes, pages=pages, sha256=index.sha256, **arrays)
    if index.names:
        graph.ids = _array(folder / f"{IDS}.npy").tolist()
        if len(graph.ids) != index.nodes:
            raise UserError(f"{folder / IDS}.npy: has {len(graph.ids)} ids for {index.nodes} nodes")
    if index.class_names:
        graph.class_names = index.class_names
    if index.recipe is not None:
        graph.recipe = index.recipe
    return graph


def read_index(folder: Path) -> Index:
    """Return the description of a graph's folder."""
    path = folder / INDEX
    try:
        index = Index.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{folder} holds no mapped graph: {INDEX} is missing") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        raise UserError(f"{path}: {first_problem(error)}") from None
    if index.format != FORMAT:
        raise UserError(f"{folder}: has the format {index.format}, not {FORMAT}")
    return index


def _check_array(path: Path, name: str, index: Index) -> None:
    """Refuse an array that would lead outside its graph: kernels read where it points."""
    array = _array(path)
    nodes = index.nodes
    shapes: dict[str, tuple[int, ...]] = {
        **{"crow": (nodes + 1,), "x_crow": (nodes + 1,), "x": (index.rows, index.features)},
        **dict.fromkeys(("y", "train_mask", "val_mask", "test_mask"), (nodes,)),
    }
    if name in shapes and array.shape != shapes[name]:
        raise UserError(f"{path}: has the shape {array.shape}, not {shapes[name]}")
    if array.ndim != len(shapes.get(name, (2, 0) if name == "edge_index" else (0,))):
        raise UserError(f"{path}: has the shape {array.shape}")
    if array.dtype.kind not in _KINDS.get(name, "f"):
        raise UserError(f"{path}: holds {array.dtype}")
    below = {"edge_index": nodes, "x_col": index.features}.get(name)
    if below is None and name not in ("crow", "x_crow"):
        return
    flat = array.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start : start + _CHUNK + 1]
        if below is not None and (part.min() < 0 or part.max() >= below):
            raise UserError(f"{path}: has a number outside 0 to {below - 1}")
        if below is None and (flat[0] != 0 or bool((np.diff(part) < 0).any())):
            raise UserError(f"{path}: is not a list of row pointers")
        if isinstance(array, np.memmap):
            drop_pages(array._mmap)  # type: ignore[attr-defined]


def _array(path: Path, mode: Literal["r", "c"] = "r") -> npt.NDArray[Any]:
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode=mode, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{path} cannot be mapped: {error}") from None
    return array


def read_rows(x: Tensor, pages: Pages, rows: Tensor) -> Tensor:
    """Return some rows of a mapped matrix; few of its pages are in memory at a time."""
    result = x.new_empty(rows.numel(), x.size(1))
    for start in range(0, rows.numel(), _ROWS):
        result[start : start + _ROWS] = x[rows[start : start + _ROWS]]
        pages.release()
    return result


def is_on_disk(graph: Data) -> bool:
    """Return whether `graph` is one that `open_mapped` returned."""
    return isinstance(graph.get("pages"), Pages)


def release(graph: Data) -> None:
    """Give back the memory of a mapped graph's pages; they are read again when they are used."""
    if is_on_disk(graph):
        graph.pages.release()


def _sha256(folder: Path, names: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        with (folder / f"{name}.npy").open("rb") as file:
            digest.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


class Pages:
    """The mapped files of one graph."""

    def __init__(self) -> None:
        self._maps: list[mmap.mmap] = []

    def tensor(self, path: Path) -> Tensor:
        """Return the array of a .npy file as a tensor that lies on disk."""
        # Private: nothing that is written to the tensor reaches the file.
        array = _array(path, "c")
        if array.size == 0:
            return torch.from_numpy(np.array(array))
        assert isinstance(array, np.memmap)
        mapped: mmap.mmap = array._mmap  # type: ignore[attr-defined]
        if hasattr(mmap, "MADV_RANDOM"):
            # Rows are read here and there: reading ahead would be in vain.
            mapped.madvise(mmap.MADV_RANDOM)
        self._maps.append(mapped)
        return torch.from_numpy(array)

    def release(self) -> None:
        """Drop all pages from this process's memory, where the system can."""
        for mapped in self._maps:
            drop_pages(mapped)
