"""The recipe: its lines for people, its JSON, and that it is applied and not learned anew."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch
from pydantic import TypeAdapter
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.columns import learned_column
from homogcl.data.features import normalize
from homogcl.data.recipe import LEFT_OUT, Recipe, refuse_other_columns, scale_features
from homogcl.data.scaling import scaling_of

AGE = np.arange(40.0)
TEAM = np.array(["a", "b"] * 20, dtype=object)
NAME = np.array([f"n{i}" for i in range(40)], dtype=object)
COLUMNS = (
    learned_column("age", "number", AGE),
    learned_column("name", "text", NAME),
    learned_column("team", "category", TEAM),
)


def graph(scale: float = 1.0) -> Data:
    x = np.column_stack([scale * AGE, TEAM == "a", TEAM == "b"]).astype(np.float32)
    return Data(x=torch.from_numpy(x), columns=COLUMNS)


def prepared(data: Data, recipe: Recipe | None = None) -> Data:
    scale_features(data, "auto", recipe)
    return data


def test_each_column_has_a_step() -> None:
    steps = prepared(graph()).recipe.steps()
    assert [(s.column, s.kind, s.features, s.scale) for s in steps] == [
        ("age", "number", 1, "standard"),
        ("name", "text", 0, LEFT_OUT),
        ("team", "category", 2, "as it is"),
    ]


def test_one_line_sums_it_up() -> None:
    line = str(prepared(graph()).recipe)
    parts = ["age: number, standard", f"name: text in 0 columns, {LEFT_OUT}"]
    assert line == "; ".join([*parts, "team: category in 2 columns"])
    many = tuple(learned_column(f"c{i}", "number", AGE) for i in range(8))
    assert str(Recipe(many)) == "c0, c1, c2, c3, c4 and 3 more: number, as it is"


@pytest.mark.parametrize(
    ("x", "line"),
    [
        (torch.randn(40, 3, generator=torch.Generator().manual_seed(0)), "3 columns standard"),
        (torch.eye(40), "rows divided by their sum"),
        (torch.eye(4), "4 columns as it is"),
    ],
)
def test_matrix_has_a_line_too(x: torch.Tensor, line: str) -> None:
    assert str(Recipe((), scaling_of(x, "auto"))) == line
    assert str(Recipe()) == "as they are"


def test_json_keeps_a_recipe() -> None:
    recipe = prepared(graph()).recipe
    assert TypeAdapter(Recipe).validate_python(json.loads(json.dumps(asdict(recipe)))) == recipe


def test_recipe_is_applied_and_not_learned_anew() -> None:
    recipe = prepared(graph()).recipe
    other = prepared(graph(scale=2), recipe)
    expected = (2 * AGE - AGE.mean()) / AGE.std()
    np.testing.assert_allclose(other.x[:, 0].numpy(), expected, rtol=1e-5)
    assert other.recipe.scaling == recipe.scaling


def test_graph_is_scaled_once() -> None:
    data = prepared(graph())
    x = data.x.clone()
    assert torch.equal(prepared(data).x, x)
    with pytest.raises(
        UserError, match=r"scaled already \(age: number, standard.*features='robust'"
    ):
        scale_features(data, "robust")


def test_rows_that_were_divided_are_divided_again_as_ever() -> None:
    data = Data(x=torch.rand(30, 20, generator=torch.Generator().manual_seed(0)))
    scale_features(data, "row")
    expected = normalize(data.x)
    assert torch.equal(prepared(data).x, expected)


def test_features_made_of_the_edges_know_no_recipe() -> None:
    x = torch.randn(30, 5, generator=torch.Generator().manual_seed(0))
    data = prepared(Data(x=x, structural=True), Recipe((), scaling_of(x[:, :2], "auto")))
    assert torch.equal(data.x, normalize(x))


@pytest.mark.parametrize(
    ("here", "says"),
    [
        (["a"], "lacks 'b'"),
        (["a", "b", "c"], "also has 'c'"),
        (["a", "c"], "lacks 'b' and also has 'c'"),
    ],
)
def test_other_columns_are_refused(here: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        refuse_other_columns(here, ["b", "a"])
    refuse_other_columns(["b", "a"], ["a", "b"])
