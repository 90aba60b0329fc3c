"""Hashes of a graph's files, or of its tensors where there are no files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.data.check import MASKS
from homogcl.data.own.graph import OwnGraph


def file_sha256(own: OwnGraph, path: Path) -> dict[str, str]:
    """Return the hash of each file that was read, by its name in the folder of the graph."""
    folder = path if path.is_dir() else path.parent
    hashes = {}
    for each in own.files:
        inside = each.is_relative_to(folder)
        with each.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        hashes[str(each.relative_to(folder)) if inside else each.name] = digest
    return hashes


def tensor_sha256(graph: Data) -> str:
    """Return the hash of a graph's features, edges, labels and masks."""
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
