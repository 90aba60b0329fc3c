"""A small graph in the bytes that Planetoid's files have, written by hand.

Today's numpy and scipy pickle under other names than those in the published files, so the
opcodes are put together here.
"""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest


def _number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def _text(value: bytes) -> bytes:
    return b"T" + struct.pack("<i", len(value)) + value


def _pickled_array(array: npt.NDArray[np.generic]) -> bytes:
    code = array.dtype.str[1:].encode()
    item_type = (
        b"cnumpy\ndtype\n" + _text(code) + _number(0) + _number(1) + b"\x87R"
        b"(" + _number(3) + _text(b"<") + b"NNN" + _number(-1) * 2 + _number(0) + b"tb"
    )
    shape = b"(" + b"".join(_number(size) for size in array.shape) + b"t"
    return (
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n"
        + (_number(0) + b"\x85" + _text(b"b") + b"\x87R(" + _number(1))
        + (shape + item_type + b"\x89" + _text(array.tobytes()) + b"tb")
    )


def pickled_matrix(
    data: npt.NDArray[np.generic],
    indices: npt.NDArray[np.generic],
    starts: npt.NDArray[np.generic],
    shape: tuple[int, int],
) -> bytes:
    """Return an old pickle of a CSR matrix."""
    state = (
        (_text(b"_shape") + b"(" + _number(shape[0]) + _number(shape[1]) + b"t")
        + (_text(b"data") + _pickled_array(data))
        + (_text(b"indices") + _pickled_array(indices))
        + (_text(b"indptr") + _pickled_array(starts))
    )
    return b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + state + b"ub."


def _pickled_dense(matrix: npt.NDArray[np.float32]) -> bytes:
    indices = np.nonzero(matrix)[1].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum((matrix != 0).sum(axis=1))]).astype(np.int32)
    return pickled_matrix(matrix[matrix != 0], indices, starts, matrix.shape)


def _pickled_lists(neighbors: dict[int, list[int]]) -> bytes:
    items = b"".join(
        _number(node) + b"](" + b"".join(_number(target) for target in targets) + b"e"
        for node, targets in neighbors.items()
    )
    return b"\x80\x02ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + items + b"u."


@pytest.fixture
def tiny_parts() -> dict[str, bytes]:
    """Parts of a graph of 10 nodes, 5 words and 3 classes: node 7 is listed nowhere.

    Nodes 6, 9 and 8 are the test nodes, in this order; edges hold a self-loop, a repeated edge
    and one that is listed in one direction only.
    """
    rng = np.random.default_rng(3)
    features = (rng.random((9, 5)) < 0.5).astype(np.float32) * 2
    one_hot = np.eye(3, dtype=np.int32)[[0, 1, 2, 0, 1, 2, 2, 1, 0]]
    neighbors = {0: [1, 2, 2], 1: [0], 2: [0], 3: [3, 4], 4: [3, 9], 5: [6], 6: [5], 9: []}
    return {
        "x": _pickled_dense(features[:3]),
        "allx": _pickled_dense(features[:6]),
        "tx": _pickled_dense(features[6:]),
        "y": b"\x80\x02" + _pickled_array(one_hot[:3]) + b".",
        "ally": b"\x80\x02" + _pickled_array(one_hot[:6]) + b".",
        "ty": b"\x80\x02" + _pickled_array(one_hot[6:]) + b".",
        "graph": _pickled_lists(neighbors),
        "test.index": b"6\n9\n8\n",
    }


@pytest.fixture
def planetoid_root(
    tmp_path: Path, tiny_parts: dict[str, bytes]
) -> Callable[[dict[str, bytes]], Path]:
    """Write the small graph as `citeseer`, with some parts replaced; return the data root."""

    def write(replaced: dict[str, bytes]) -> Path:
        folder = tmp_path / "planetoid" / "CiteSeer" / "raw"
        folder.mkdir(parents=True)
        for part, content in (tiny_parts | replaced).items():
            (folder / f"ind.citeseer.{part}").write_bytes(content)
        return tmp_path

    return write


@pytest.fixture
def write_lists() -> Callable[[dict[int, list[int]]], bytes]:
    """Give the writer of old pickles of neighbor lists."""
    return _pickled_lists


@pytest.fixture
def write_matrix() -> Callable[..., bytes]:
    """Give the writer of old pickles of CSR matrices."""
    return pickled_matrix


@pytest.fixture
def write_array() -> Callable[[npt.NDArray[np.generic]], bytes]:
    """Give the writer of old pickles of arrays."""
    return lambda array: b"\x80\x02" + _pickled_array(array) + b"."


NODES = 40  # of the graph of friends


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    """A ring of nodes, every fourth of them without a label."""
    graph = tmp_path / "friends"
    graph.mkdir()
    ring = "".join(f"n{i:02},n{(i + 1) % NODES:02}\n" for i in range(NODES))
    (graph / "edges.csv").write_text("a,b\n" + ring)
    rows = "".join(
        f"n{i:02},{'' if i % 4 == 0 else 'odd' if i % 2 else 'even'},{i}\n" for i in range(NODES)
    )
    (graph / "nodes.csv").write_text("id,kind,size\n" + rows)
    (graph / "graph.toml").write_text(
        'edges = "edges.csv"\nnodes = "nodes.csv"\nlabel = "kind"\nfeatures = ["size"]\n'
    )
    return graph
