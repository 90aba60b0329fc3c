"""Rows without edges: which columns count, whose ids they have, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.own.rows import read_rows
from homogcl.data.recipe import Recipe

TRAINED = "key,color,size\na,red,1\nb,blue,2\nc,red,3\nd,blue,6\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    rows = read_rows(_file(tmp_path, "trained.csv", TRAINED), {}, None)
    return Recipe(columns=rows.columns)


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def numbers(rows: Data) -> list[dict[str, float]]:
    x = rows.x.to_dense().tolist()
    return [dict(zip(rows.feature_names, row, strict=True)) for row in x]


def test_columns_are_matched_by_name_and_others_are_left_alone(
    tmp_path: Path, recipe: Recipe
) -> None:
    straight = read_rows(_file(tmp_path, "a.csv", "key,color,size\nx,blue,9\n"), {}, recipe)
    text = "key\tsize\tnote\tcolor\nx\t9\tnew\tblue\n"
    turned = read_rows(_file(tmp_path, "b.tsv", text), {}, recipe)
    assert numbers(straight) == numbers(turned)
    assert numbers(straight)[0]["size"] == 9
    assert straight.ids == turned.ids == ["x"]
    assert straight.get("edge_index") is None


def test_a_level_that_was_not_learned_is_none_of_them(tmp_path: Path, recipe: Recipe) -> None:
    text = "key,color,size\nx,green,9\ny,red,9\n"
    new, familiar = numbers(read_rows(_file(tmp_path, "a.csv", text), {}, recipe))
    assert set(new) == set(familiar)
    assert new != familiar


def test_ids_are_named_first_or_numbers(tmp_path: Path, recipe: Recipe) -> None:
    text = "color,size,name\nred,1,x\nblue,2,y\n"
    path = _file(tmp_path, "a.csv", text)
    assert read_rows(path, {"id": "name"}, recipe).ids == ["x", "y"]
    unnamed = read_rows(path, {}, recipe)
    assert unnamed.ids == [0, 1]
    assert numbers(unnamed) == numbers(read_rows(path, {"id": "name"}, recipe))


def test_matrices_are_rows_too(tmp_path: Path) -> None:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x=x, ids=np.array(["a", "b", "c"]))
    scipy.sparse.save_npz(tmp_path / "sparse.npz", scipy.sparse.csr_matrix(x))
    for name, ids in {
        "x.npy": [0, 1, 2],
        "x.npz": ["a", "b", "c"],
        "sparse.npz": [0, 1, 2],
    }.items():
        rows = read_rows(tmp_path / name, {"id": "key"}, None)
        np.testing.assert_array_equal(rows.x.to_dense(), x)
        assert rows.ids == ids


@pytest.mark.parametrize(
    ("text", "settings", "says"),
    [
        ("key,color\nx,red\n", {}, "lacks 'size'"),
        ("key,color,size\nx,red,1\nx,red,2\n", {}, "line 3, column 'key': duplicate id 'x'"),
        ("key,color,size\nx,red,\n", {}, "line 2, column 'size': a value is missing"),
        ("key,color,size\nx,red,1\n", {"id": "name"}, "no column 'name' for id"),
        ("key,color,size\nx,red,1\n", {"label": "color"}, "have no label; leave it out"),
        ("key,color,size\nx,red,1\n", {"missing": "skip"}, "missing = 'skip'"),
        ("key,color,size\n", {}, "lists no nodes"),
    ],
)
def test_mistakes_are_named_in_one_line(
    tmp_path: Path, recipe: Recipe, text: str, settings: dict[str, object], says: str
) -> None:
    with pytest.raises(UserError) as error:
        read_rows(_file(tmp_path, "new.csv", text), settings, recipe)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_missing_is_dropped_or_filled(tmp_path: Path, recipe: Recipe) -> None:
    path = _file(tmp_path, "new.csv", "key,color,size\nx,red,\ny,red,5\n")
    assert read_rows(path, {"missing": "drop"}, recipe).ids == ["y"]
    filled = read_rows(path, {"missing": "fill"}, recipe)
    assert numbers(filled)[0]["size"] == 2.5  # the median of the training
    assert "1 missing filled" in filled.report


def test_rows_without_features_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no columns of features"):
        read_rows(_file(tmp_path, "ids.csv", "key\na\nb\n"), {}, None)
