"""A graph that torch_geometric's users saved with `torch.save`, read without running anything."""

from __future__ import annotations

import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
from torch_geometric.data.storage import GlobalStorage

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS, validate

SAVED = (".pt", ".pth")
# The classes in a pickled `Data`, besides `Data` itself, which torch_geometric declares safe.
PARTS = [DataEdgeAttr, DataTensorAttr, GlobalStorage]


def read_saved(path: Path) -> Data:
    """Return the graph in a file of `torch.save`: a `Data`, or what a data set in memory keeps.

    The file is read with torch's restricted unpickler, which makes tensors, containers and the
    classes that torch and torch_geometric declare safe, and refuses all else. Nothing but `x`,
    `edge_index`, `edge_weight`, `y`, masks and `ids` is taken.
    """
    try:
        with warnings.catch_warnings(), torch.serialization.safe_globals(PARTS):
            warnings.simplefilter("ignore")  # about how old a file is, which nobody can change
            content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file or folder") from None
    except (pickle.UnpicklingError, zipfile.BadZipFile, EOFError, OSError, RuntimeError) as error:
        raise UserError(f"{path}: {_reason(error)}") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # A damaged or a hostile file may make the unpickler raise anything.
        raise UserError(f"{path}: is no file of torch.save, or a damaged one") from None
    graph = _graph(content, path)
    validate(graph, str(path))
    return graph


def saved_ids(graph: Data, path: Path) -> list[str] | list[int]:
    """Return the nodes' ids, `graph.ids`, or their numbers where there are none."""
    nodes = int(graph.num_nodes or 0)
    ids = graph.get("ids")
    if ids is None:
        return list(range(nodes))
    if isinstance(ids, Tensor):
        ids = ids.tolist()
    same_kind = isinstance(ids, list) and any(
        all(type(each) is kind for each in ids) for kind in (str, int)
    )
    if not same_kind or len(ids) != nodes or len(set(ids)) != nodes:
        raise UserError(f"{path}: ids must be {nodes} different texts, or whole numbers, in a list")
    checked: list[str] | list[int] = ids
    return checked


def _graph(content: Any, path: Path) -> Data:
    if isinstance(content, tuple) and len(content) >= 2 and content[1] is None:
        # A data set of one graph keeps it beside slices that it does not need.
        content = Data.from_dict(content[0]) if isinstance(content[0], dict) else content[0]
    if not isinstance(content, Data):
        raise UserError(f"{path}: holds a {type(content).__name__}, not a torch_geometric Data")
    graph = Data(edge_index=content.get("edge_index"))
    if content.get("x") is None:
        graph.num_nodes = content.num_nodes
        # Checks are made of features; a graph without any gets them from its edges later.
        graph.x = torch.zeros(int(content.num_nodes or 0), 0)
    for key in ("x", "edge_weight", *MASKS, "ids"):
        if content.get(key) is not None:
            graph[key] = content[key]
    if content.get("y") is not None:
        graph.y = _labels(content.y, path)
    for key in MASKS:
        mask = graph.get(key)
        if isinstance(mask, Tensor) and mask.dim() == 2:
            raise UserError(
                f"{path}: {key} holds {mask.size(1)} splits; keep one, such as {key}[:, 0]"
            )
    return graph


def _labels(y: Any, path: Path) -> Tensor:
    if not isinstance(y, Tensor):
        raise UserError(f"{path}: y must be a tensor, found a {type(y).__name__}")
    if y.dim() == 2 and y.size(1) == 1:
        y = y.squeeze(1)
    if y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise UserError(
            f"{path}: y must hold one whole number per node, found "
            f"{str(y.dtype).removeprefix('torch.')} of shape {list(y.shape)}; leave it out"
        )
    labels: Tensor = y.to(torch.int64)
    return labels


def _reason(error: Exception) -> str:
    text = str(error)
    if "Unsupported" in text or "GLOBAL" in text or "weights_only" in text.lower():
        return (
            "holds more than tensors and a torch_geometric Data, which could run code; "
            "not read (save only the Data)"
        )
    return "is no file of torch.save, or a damaged one"
