"""Cora, CiteSeer and PubMed in the form in which Planetoid published them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.features import sparse_features
from homogcl.data.published import unpickle
from homogcl.data.published.root import RawFile

_NUM_VALIDATION = 500


def read(files: Sequence[RawFile]) -> Data:
    """Return the graph in the eight files `ind.<name>.<part>`, with the public masks.

    `x` is CSR [N, d], `y` [N], and `edge_index` holds the edges as listed. Nodes numbered between
    test nodes but listed nowhere (CiteSeer has 15) get zero features and label 0, as in PyG.
    """
    parts = {file.path.name.split(".", 2)[2]: file for file in files}
    allx, tx = unpickle.matrix(parts["allx"]), unpickle.matrix(parts["tx"])
    ally, ty = unpickle.array(parts["ally"]), unpickle.array(parts["ty"])
    num_train = len(unpickle.array(parts["y"]))
    test_nodes = _test_nodes(parts["test.index"], first=allx.shape[0])
    shapes = {"allx": allx.shape, "tx": tx.shape, "ally": ally.shape, "ty": ty.shape}
    _check_sizes(parts, shapes, len(test_nodes))

    num_nodes = int(test_nodes.max()) + 1
    # Row of each node in [allx, tx, one row of zeros].
    row = np.full(num_nodes, allx.shape[0] + len(test_nodes))
    row[: allx.shape[0]] = np.arange(allx.shape[0])
    row[test_nodes] = allx.shape[0] + np.arange(len(test_nodes))

    zeros = scipy.sparse.csr_matrix((1, allx.shape[1]), dtype=allx.dtype)
    x = scipy.sparse.vstack([allx, tx, zeros]).tocsr()[row]
    one_hot = np.concatenate([ally, ty, np.zeros((1, ally.shape[1]), dtype=ally.dtype)])
    nodes = np.arange(num_nodes)
    validation_end = min(num_train + _NUM_VALIDATION, allx.shape[0])
    return Data(
        x=sparse_features(x),
        edge_index=_edges(parts["graph"]),
        y=torch.from_numpy(one_hot.argmax(axis=1)[row].astype(np.int64)),
        train_mask=torch.from_numpy(nodes < num_train),
        val_mask=torch.from_numpy((nodes >= num_train) & (nodes < validation_end)),
        test_mask=torch.from_numpy(np.isin(nodes, test_nodes)),
    )


def _test_nodes(file: RawFile, first: int) -> npt.NDArray[np.int64]:
    try:
        nodes = np.array([int(line) for line in file.content.split()], dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise UserError(f"{file.path}: must list one node number per line ({error})") from error
    if len(nodes) == 0 or nodes.min() != first or len(np.unique(nodes)) != len(nodes):
        raise UserError(f"{file.path}: must list different nodes, from node {first} on")
    if nodes.max() >= first + 2 * len(nodes):
        # CiteSeer leaves out 15 of 1,015; a number far off would only cost memory.
        raise UserError(f"{file.path}: leaves out more nodes than it lists, up to {nodes.max()}")
    return nodes


def _check_sizes(
    parts: dict[str, RawFile], shapes: dict[str, tuple[int, int]], num_test: int
) -> None:
    (num_others, num_features), num_classes = shapes["allx"], shapes["ally"][1]
    expected = {
        "tx": (num_test, num_features),
        "ally": (num_others, num_classes),
        "ty": (num_test, num_classes),
    }
    for part, shape in expected.items():
        if shapes[part] != shape:
            raise UserError(
                f"{parts[part].path}: has shape {list(shapes[part])} where the other files ask "
                f"for {list(shape)}; the files do not belong together"
            )


def _edges(file: RawFile) -> Tensor:
    neighbors = unpickle.neighbor_lists(file)
    degrees = [len(targets) for targets in neighbors.values()]
    try:
        nodes = np.fromiter(neighbors, dtype=np.int64)
        targets = np.fromiter(chain.from_iterable(neighbors.values()), dtype=np.int64)
    except OverflowError as error:
        raise UserError(f"{file.path}: holds a node number that is far too large") from error
    return torch.from_numpy(np.stack([np.repeat(nodes, degrees), targets]))
