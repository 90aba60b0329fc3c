"""Tables of edges and nodes: which columns are what, and errors that name those seen."""

from typing import Any

import pandas as pd
import polars as pl
import pytest

from homogcl.core.errors import UserError
from homogcl.data.held.graph import as_graph
from homogcl.data.held.tables import Tables, from_tables

ENDS = {"source": ["ü", "b"], "target": ["b", "c"]}
NODES = {"id": ["c", "b", "ü"], "age": [1.0, 2.0, 4.0]}


def ids(edges: Any, nodes: Any = None, **settings: Any) -> list[Any]:
    return from_tables(Tables(edges, nodes, **settings), None).ids


@pytest.mark.parametrize("module", [pd, pl])
@pytest.mark.parametrize(
    "names",
    [
        ("source", "target"),
        ("Source", "TARGET"),
        ("src", "dst"),
        ("from", "to"),
        ("u", "v"),
        ("anything", "else"),
    ],
)
def test_ends_are_known_by_name_or_are_the_first_two(module: Any, names: tuple[str, str]) -> None:
    table = module.DataFrame({names[0]: ["ü", "b"], names[1]: ["b", "c"]})
    assert ids(table) == ["b", "c", "ü"]


def test_names_prevail_over_places() -> None:
    edges = pd.DataFrame(
        {"when": [1, 2], "target": ["a", "b"], "note": ["", ""], "source": ["b", "c"]}
    )
    assert ids(edges) == ["a", "b", "c"]
    assert ids(edges, source="target", target="when") == ["1", "2", "a", "b"]


@pytest.mark.parametrize(
    ("edges", "settings", "says"),
    [
        (
            pd.DataFrame({c: [1] for c in "abcd"}),
            {},
            "columns are 'a', 'b', 'c', 'd'; name the two",
        ),
        (pd.DataFrame({"a": [1]}), {}, "columns are 'a'; name the two ends"),
        (
            pd.DataFrame(ENDS),
            {"source": "from"},
            "no column 'from' for source; has 'source', 'targ",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "two columns have the name 'a'"),
        (pd.Series([1, 2]), {}, "takes a table of pandas or polars, not a Series"),
        ("e.csv", {}, "takes a table of pandas or polars, not a str"),
        (
            pd.DataFrame({**ENDS, "weight": [1, 0]}),
            {},
            "edges row 2, column 'weight': the weight 0",
        ),
        (
            pd.DataFrame({"u": ["a", None], "v": ["b", "c"]}),
            {},
            "row 2, column 'u': the id is empty",
        ),
        (pd.DataFrame({"u": [0.5], "v": [1.0]}), {}, "column 'u': holds double"),
        (
            pd.DataFrame(ENDS),
            {"missing": "maybe"},
            "Tables: missing = 'maybe': input should be 'error'",
        ),
    ],
)
def test_wrong_tables_are_named(edges: Any, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        ids(edges, **settings)


@pytest.mark.parametrize(
    "nodes",
    [
        pd.DataFrame(NODES),
        pd.DataFrame(NODES).rename(columns={"id": "Node"})[["age", "Node"]],
        pd.DataFrame(NODES).rename(columns={"id": "person"}),
        pd.DataFrame(NODES).set_index("id"),
        pd.DataFrame(NODES).set_index("id").rename_axis(None),
        pl.DataFrame(NODES),
    ],
)
def test_ids_of_nodes_are_found_and_set_the_order(nodes: Any) -> None:
    graph = as_graph(Tables(pd.DataFrame(ENDS), nodes))
    assert graph.ids == ["c", "b", "ü"]
    assert graph.x.tolist() == [[1], [2], [4]]
    assert graph.feature_names == ["age"]


def test_row_numbers_are_ids_where_nothing_else_is() -> None:
    edges = pd.DataFrame({"source": [0, 1], "target": [1, 2]})
    nodes = pl.DataFrame({"age": [10.5, 20.5, 30.5]})
    assert as_graph(Tables(edges, nodes)).ids == [0, 1, 2]


def test_ids_keep_their_type() -> None:
    numbers = {"source": [3, 10], "target": [10, 7]}
    assert ids(pd.DataFrame(numbers)) == [3, 7, 10]
    texts = pd.DataFrame(numbers).astype(str)
    assert ids(texts) == ["3", "7", "10"]
    assert ids(texts, pd.DataFrame({"id": [10, 7, 3], "x": [1, 2, 3]})) == [10, 7, 3]


def test_ids_of_another_kind_are_recognized() -> None:
    nodes = pd.DataFrame({"id": [1, 2, 3], "age": [1.5, 2.5, 3.5]})
    says = r"none of their ids occurs in the edges; 'id' has such as '1', '2', '3', the edges 'ü'"
    with pytest.raises(UserError, match=says):
        ids(pd.DataFrame(ENDS), nodes)
    with pytest.raises(UserError, match="no column 'key' for id; has 'id', 'age'"):
        ids(pd.DataFrame(ENDS), nodes, id="key")


def test_missing_rows_follow_the_setting() -> None:
    edges, nodes = pd.DataFrame(ENDS), pd.DataFrame(NODES).iloc[:2]
    with pytest.raises(
        UserError, match="edges row 1, column 'source': the node 'ü' is not in the n"
    ):
        ids(edges, nodes)
    assert ids(edges, nodes, missing="drop") == ["c", "b"]
    assert ids(edges, nodes, missing="fill") == ["c", "b", "ü"]


def test_columns_and_kinds_can_be_chosen() -> None:
    nodes = pd.DataFrame({**NODES, "zip": [1, 1, 2], "name": ["x", "y", "z"]})
    graph = as_graph(
        Tables(pd.DataFrame(ENDS), nodes, features=["zip", "age"], kinds={"zip": "category"})
    )
    assert graph.feature_names == ["zip=1", "zip=other", "age"]


def test_columns_that_pandas_has_and_arrow_has_not_are_texts() -> None:
    nodes = pd.DataFrame({"id": ["c", "b", "ü"], "mixed": [1, "a", "a"]})
    tables = Tables(pd.DataFrame(ENDS), nodes, kinds={"mixed": "category"})
    assert as_graph(tables).feature_names == ["mixed=a", "mixed=other"]


def test_nodes_come_without_edges() -> None:
    nodes = pd.DataFrame({"age": [1.0, 2.0], "id": ["ü", "v"], "team": ["a", "b"]})
    rows = as_graph(Tables(nodes=nodes, label="team"))
    assert rows.get("edge_index") is None
    assert rows.ids == ["ü", "v"]
    assert rows.feature_names == ["age"]
    for table in (
        nodes[["age", "id"]].set_index("id"),
        pl.DataFrame(nodes[["id", "age"]].to_dict("list")),
    ):
        again = as_graph(Tables(nodes=table))
        assert again.ids == rows.ids
        assert again.x.tolist() == rows.x.tolist()
    learned = as_graph(Tables(nodes=nodes[["age"]].assign(x=3), features=["age", "x"]))
    assert learned.ids == [0, 1]


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        (Tables(), "give edges, nodes, or both"),
        (Tables(nodes=pd.DataFrame({"a": [1]}), weight="a"), "weight is a column of the edges"),
        (Tables(nodes=[1]), "takes a table of pandas or polars"),
    ],
)
def test_wrong_tables_without_edges_are_named(tables: Tables, says: str) -> None:
    with pytest.raises(UserError, match=says):
        as_graph(tables)
