"""Features from files: whose rows they are, and what is refused."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from homogcl.core.errors import UserError
from homogcl.data.own.features import read_features
from homogcl.data.own.graph import read_own

MATRIX = np.array([[0, 1, 0], [2, 0, 0], [0, 0, 3], [4, 0, 0]], dtype=np.float32)


def _save_sparse(path: Path) -> None:
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(MATRIX))


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("x.npy", lambda path: np.save(path, MATRIX)),
        ("x.npz", lambda path: np.savez(path, x=MATRIX)),
        ("sparse.npz", _save_sparse),
        ("ids.npz", lambda path: np.savez(path, x=MATRIX[::-1], ids=np.arange(4)[::-1])),
    ],
)
def test_arrays_belong_to_nodes_by_number(
    name: str, save: Callable[[Path], None], tmp_path: Path
) -> None:
    save(tmp_path / name)
    (tmp_path / "edges.csv").write_text("a,b\n2,0\n")
    own = read_own(tmp_path / "edges.csv", features=name)
    order = torch.tensor([own.ids.index(i) for i in range(4)])
    assert sorted(own.ids) == [0, 1, 2, 3]
    assert torch.equal(own.data.x.to_dense()[order], torch.from_numpy(MATRIX))
    assert {own.ids[i] for i in own.data.edge_index[0].tolist()} == {0, 2}


def test_rows_of_arrays_follow_the_file_of_nodes(folder: Path) -> None:
    values = np.arange(10.0).reshape(5, 2) + 1
    np.save(folder / "x.npy", values)
    assert read_own(folder, features="x.npy").data.x.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.ones(5), r"shape \[nodes, features\]"),
        (np.array([["a"]] * 5), "needs numbers"),
        (np.ones((4, 2)), "has 4 rows for 5 nodes"),
        (
            np.array([[1.0, 2.0]] * 4 + [[1.0, math.inf]]),
            "row 4, column 1: a value is missing; 1 is",
        ),
        (np.array([[None]] * 5), "cannot be read as numbers"),
    ],
)
def test_arrays_that_are_no_features_are_refused(
    array: np.ndarray, says: str, folder: Path
) -> None:
    np.save(folder / "x.npy", array, allow_pickle=True)
    with pytest.raises(UserError, match=says):
        read_own(folder, features="x.npy")


@pytest.mark.parametrize(
    "form", ["csr_matrix", "csc_matrix", "coo_matrix", "bsr_matrix", "dia_matrix"]
)
def test_every_form_in_which_scipy_saves_is_read(form: str, tmp_path: Path) -> None:
    matrix = getattr(scipy.sparse, form)(MATRIX)
    scipy.sparse.save_npz(tmp_path / "x.npz", matrix)
    features = read_features(tmp_path / "x.npz", None, {}).features
    x, _ = features.taken(np.array([3, 0, 3])).numbers(())
    assert x.layout == torch.sparse_csr
    assert x.dtype == torch.float32
    assert torch.equal(x.to_dense(), torch.from_numpy(MATRIX[[3, 0, 3]]))


@pytest.mark.parametrize(
    ("id_column", "expected", "names"),
    [
        ("key", ["p", "q"], ("w", "v")),
        ("other", ["1", "2"], ("key", "v")),
        (None, ["1", "2"], ("key", "v")),
    ],
)
def test_ids_of_a_table_are_the_named_column_or_the_first(
    id_column: str | None, expected: list[str], names: tuple[str, ...], tmp_path: Path
) -> None:
    key = ("p", "q") if id_column == "key" else (5, 6)
    (tmp_path / "x.csv").write_text(f"w,key,v\n1,{key[0]},3\n2,{key[1]},4\n")
    read = read_features(tmp_path / "x.csv", id_column, {})
    assert read.ids is not None
    assert read.ids.to_pylist() == expected
    assert read.features.names == names
    x, _ = read.features.numbers(())
    assert x[1, -1] == 4


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"x": MATRIX, "z": MATRIX}, r"one array and perhaps `ids` expected, has \['x', 'z'\]"),
        ({"ids": np.arange(4)}, "one array and perhaps `ids` expected"),
        ({"x": MATRIX, "ids": np.arange(3)}, "`ids` must hold 4 whole numbers or texts, has int64"),
        ({"x": MATRIX, "ids": np.ones(4)}, "`ids` must hold 4 whole numbers or texts, has float64"),
    ],
)
def test_archives_of_anything_else_are_refused(
    arrays: dict[str, np.ndarray], says: str, tmp_path: Path
) -> None:
    np.savez(tmp_path / "x.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=says):
        read_features(tmp_path / "x.npz", None, {})


def test_one_array_belongs_in_npy(tmp_path: Path) -> None:
    with (tmp_path / "x.npz").open("wb") as file:
        np.save(file, MATRIX)
    with pytest.raises(UserError, match=r"x\.npz: .* belongs in a file that ends in \.npy"):
        read_features(tmp_path / "x.npz", None, {})


def test_sparse_numbers_that_are_not_finite_have_a_place(tmp_path: Path) -> None:
    matrix = scipy.sparse.csr_matrix(MATRIX)
    matrix.data[2] = np.nan
    scipy.sparse.save_npz(tmp_path / "x.npz", matrix)
    with pytest.raises(UserError, match=r"x\.npz row 2, column 2: not a finite number"):
        read_features(tmp_path / "x.npz", None, {})


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"x\.npy: there is no such file"):
        read_features(tmp_path / "x.npy", None, {})
