"""Graphs in npz files: equal to PyG's reader, and damage is named."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
import torch
from torch_geometric.io import read_npz

from homogcl.core.errors import UserError
from homogcl.data.load import load

Arrays = dict[str, npt.NDArray[np.generic]]


@pytest.fixture
def arrays() -> Arrays:
    """Six nodes, one of them isolated, with a self-loop, counts as attributes, three classes."""
    edges = [(0, 1), (1, 0), (1, 2), (3, 3), (4, 0), (2, 4)]
    adjacency = scipy.sparse.csr_matrix((np.ones(6), np.array(edges).T), shape=(6, 6))
    words = scipy.sparse.csr_matrix(np.array([[0, 3, 1], [1, 0, 0], [0] * 3] * 2, dtype=np.float32))
    parts = {"adj": adjacency, "attr": words}
    stored = {
        f"{prefix}_{part}": getattr(matrix, part)
        for prefix, matrix in parts.items()
        for part in ("data", "indices", "indptr")
    }
    shapes = {f"{prefix}_shape": np.array(matrix.shape) for prefix, matrix in parts.items()}
    return stored | shapes | {"labels": np.array([0, 1, 2, 0, 1, 2])}


@pytest.fixture
def photo_root(tmp_path: Path) -> Callable[[Arrays], Path]:
    """Write arrays as the file of `photo`; return the data root."""

    def write(arrays: Arrays) -> Path:
        folder = tmp_path / "amazon/Photo/raw"
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(folder / "amazon_electronics_photo.npz", **arrays)  # type: ignore[arg-type]
        return tmp_path

    return write


def photo_file(root: Path) -> Path:
    return root / "amazon/Photo/raw/amazon_electronics_photo.npz"


@pytest.mark.parametrize("name", ["photo", "computers"])
def test_real_files_give_the_graph_that_pyg_reads(data_root: Path, name: str) -> None:
    ours = load(name, data_root, features="raw")
    path = data_root / "amazon" / name.capitalize() / "raw" / f"amazon_electronics_{name}.npz"
    theirs = read_npz(str(path))
    for key in ("x", "edge_index", "y"):
        assert torch.equal(ours[key], theirs[key])


def test_small_graph_equals_pyg(arrays: Arrays, photo_root: Callable[[Arrays], Path]) -> None:
    root = photo_root(arrays)
    ours, theirs = load("photo", root, features="raw"), read_npz(str(photo_file(root)))
    for key in ("x", "edge_index", "y"):
        assert torch.equal(ours[key], theirs[key])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_truncated_file_is_named(
    arrays: Arrays, photo_root: Callable[[Arrays], Path], share: float
) -> None:
    root = photo_root(arrays)
    content = photo_file(root).read_bytes()
    photo_file(root).write_bytes(content[: int(share * len(content))])
    with pytest.raises(UserError, match=r"amazon_electronics_photo\.npz: truncated") as caught:
        load("photo", root)
    assert "\n" not in str(caught.value)


def test_damaged_byte_is_named_or_changes_nothing(
    arrays: Arrays, photo_root: Callable[[Arrays], Path]
) -> None:
    root = photo_root(arrays)
    sound = photo_file(root).read_bytes()
    expected = load("photo", root)
    refused = 0
    for position in range(0, len(sound), 13):
        damaged = bytearray(sound)
        damaged[position] ^= 0xFF
        photo_file(root).write_bytes(bytes(damaged))
        try:
            graph = load("photo", root)
        except UserError:
            refused += 1
        else:
            # Times and the like in the archive's own headers tell nothing about the graph.
            assert all(torch.equal(graph[key], expected[key]) for key in ("x", "edge_index", "y"))
    assert refused > 100


def test_single_array_and_plain_text_are_refused(photo_root: Callable[[Arrays], Path]) -> None:
    root = photo_root({})
    with photo_file(root).open("wb") as stream:
        np.save(stream, np.ones(3))
    with pytest.raises(UserError, match=r"photo\.npz: truncated, or no npz archive"):
        load("photo", root)
    photo_file(root).write_text("not a graph")
    with pytest.raises(UserError, match=r"photo\.npz: truncated, or no npz archive"):
        load("photo", root)


@pytest.mark.parametrize("key", ["adj_data", "attr_indptr", "labels", "attr_shape"])
def test_object_array_is_refused_by_name(
    arrays: Arrays, photo_root: Callable[[Arrays], Path], key: str
) -> None:
    root = photo_root(arrays | {key: arrays[key].astype(object)})
    with pytest.raises(UserError, match=f"photo.npz: array '{key}'.*pickle"):
        load("photo", root)


def test_object_arrays_that_are_not_needed_do_no_harm(
    arrays: Arrays, photo_root: Callable[[Arrays], Path]
) -> None:
    root = photo_root(arrays | {"idx_to_node": np.array({0: "a"}, dtype=object)})
    assert load("photo", root).x.shape == (6, 3)


def test_missing_or_textual_array_is_named(
    arrays: Arrays, photo_root: Callable[[Arrays], Path]
) -> None:
    without = {key: value for key, value in arrays.items() if key != "adj_indices"}
    with pytest.raises(UserError, match=r"photo\.npz: has no array 'adj_indices'"):
        load("photo", photo_root(without))
    with pytest.raises(UserError, match=r"photo\.npz: array 'labels' holds <U1, not numbers"):
        load("photo", photo_root(arrays | {"labels": np.array(list("abcabc"))}))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("attr_indices", 99, "attr_\\* is no CSR matrix"),
        ("adj_indices", -1, "adj_\\* is no CSR matrix"),
        ("attr_data", np.nan, "photo: the features of node 0 hold nan in column 1"),
        ("labels", -2, "photo: node 0 has the label -2"),
    ],
)
def test_bad_number_is_named(
    arrays: Arrays,
    photo_root: Callable[[Arrays], Path],
    key: str,
    value: float,
    message: str,
) -> None:
    changed = arrays[key].copy()
    changed[0] = value
    with pytest.raises(UserError, match=message):
        load("photo", photo_root(arrays | {key: changed}))


def test_edge_to_a_missing_node_is_named(
    arrays: Arrays, photo_root: Callable[[Arrays], Path]
) -> None:
    starts = np.append(arrays["adj_indptr"], len(arrays["adj_data"]) + 1)
    larger = {
        "adj_shape": np.array([7, 7]),
        "adj_indptr": starts,
        "adj_indices": np.append(arrays["adj_indices"], 0),
        "adj_data": np.append(arrays["adj_data"], 1.0),
    }
    with pytest.raises(UserError, match=r"photo: edge 6 joins node 6 to node 0.*0 to 5"):
        load("photo", photo_root(arrays | larger))
