"""Graphs that stay on disk: a folder of arrays that are mapped into memory, not read.

Reading a row touches the pages it lies on and no others, so that training by batches needs the
memory of its batches however large the graph is.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.errors import UserError
from homogcl.files import write_atomically

FORMAT = 2
INDEX = "mapped.json"  # written last: a folder without it is not complete
_PLAIN = ("edge_index", "edge_weight", "crow", "y", "train_mask", "val_mask", "test_mask")
IDS = "ids"
_SPARSE = ("x_crow", "x_col", "x_value")


def write_mapped(graph: Data, folder: Path) -> Path:
    """Write `graph`, whose edges are sorted by source, as a folder for `open_mapped`."""
    if (folder / INDEX).exists():
        raise UserError(f"{folder} holds a graph already")
    source = graph.edge_index[0]
    if bool((source.diff() < 0).any()):
        raise UserError("the edges of a graph to be mapped must be sorted by source")
    nodes = int(graph.num_nodes or 0)
    counts = torch.bincount(source, minlength=nodes)
    arrays: dict[str, Tensor] = {"crow": torch.cat([counts.new_zeros(1), counts.cumsum(0)])}
    arrays |= {key: graph[key] for key in _PLAIN if isinstance(graph.get(key), Tensor)}
    if graph.x.layout == torch.sparse_csr:
        parts = (graph.x.crow_indices(), graph.x.col_indices(), graph.x.values())
        arrays |= dict(zip(_SPARSE, parts, strict=True))
    else:
        arrays["x"] = graph.x
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array.numpy(), allow_pickle=False)
    names = [IDS] if "ids" in graph else []
    if names:
        np.save(folder / f"{IDS}.npy", np.asarray(graph.ids), allow_pickle=False)
    index = {
        "format": FORMAT,
        "nodes": nodes,
        "features": int(graph.x.size(1)),
        "arrays": sorted(arrays),
        "names": names,
        "class_names": list(graph.get("class_names") or []),
        "sha256": _sha256(folder, [*sorted(arrays), *names]),
    }
    write_atomically(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())
    return folder


def is_mapped(folder: Path) -> bool:
    """Return whether `folder` holds a graph that `open_mapped` opens."""
    return (folder / INDEX).is_file()


def open_mapped(folder: Path) -> Data:
    """Return the graph of a folder; what it holds is read when it is used.

    The graph is an ordinary one, with `crow`, the row pointers of its edges, beside them. Its
    `pages` lets go of what has been read so far: see `release`.
    """
    try:
        index = json.loads((folder / INDEX).read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(f"{folder} holds no mapped graph: {INDEX} is missing") from None
    if index["format"] != FORMAT:
        raise UserError(f"{folder}: has the format {index['format']}, not {FORMAT}")
    pages = Pages()
    arrays = {name: pages.tensor(folder / f"{name}.npy") for name in index["arrays"]}
    if "x" not in arrays:
        crow, col, value = (arrays.pop(name) for name in _SPARSE)
        size = (index["nodes"], index["features"])
        arrays["x"] = torch.sparse_csr_tensor(crow, col, value, size=size, check_invariants=False)
    graph = Data(num_nodes=index["nodes"], pages=pages, sha256=index["sha256"], **arrays)
    if index["names"]:
        graph.ids = np.load(folder / f"{IDS}.npy", allow_pickle=False).tolist()
    if index["class_names"]:
        graph.class_names = index["class_names"]
    return graph


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
        """Begin with none."""
        self._maps: list[mmap.mmap] = []

    def tensor(self, path: Path) -> Tensor:
        """Return the array of a .npy file as a tensor that lies on disk."""
        try:
            # Private: nothing that is written to the tensor reaches the file.
            array: npt.NDArray[Any] = np.load(path, mmap_mode="c", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise UserError(f"{path} cannot be mapped: {error}") from None
        if array.size == 0:
            return torch.from_numpy(np.array(array))
        assert isinstance(array, np.memmap)
        mapped: mmap.mmap = array._mmap  # type: ignore[attr-defined]
        if hasattr(mmap, "MADV_RANDOM"):
            # Rows are read here and there: what lies around them is not wanted.
            mapped.madvise(mmap.MADV_RANDOM)
        self._maps.append(mapped)
        return torch.from_numpy(array)

    def release(self) -> None:
        """Drop all pages from this process's memory, where the system can."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in self._maps:
                mapped.madvise(mmap.MADV_DONTNEED)
