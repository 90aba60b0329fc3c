"""What is missing among nodes: counted, named, and refused, dropped or filled."""

from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.data.own.files import Missing
from homogcl.data.own.graph import OwnGraph, read_own

EDGES = "a,b\nü0,ü1\nü1,ü2\nü2,ü3\nü3,ü0\nü4,ü5\nü5,ghost\nü0,phantom\n"
ROWS = """id,age,team,bio
ü0,10,red,
ü1,,red,cats a
ü2,30,,cats b
ü3,NA,blue,dogs c
ü4,20,blue,dogs d
ü5,20,red,cats e
"""


def read(folder: Path, missing: Missing, rows: str = ROWS, edges: str = EDGES) -> OwnGraph:
    (folder / "e.csv").write_text(edges)
    (folder / "n.csv").write_text(rows)
    return read_own(
        folder / "e.csv", nodes="n.csv", features=["age", "team", "bio"], missing=missing
    )


def without_ghosts(edges: str = EDGES) -> str:
    return "".join(
        line for line in edges.splitlines(True) if "ghost" not in line and "ph" not in line
    )


def test_nodes_that_only_edges_name_are_an_error_that_counts_them(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"line 7, column 'b': the node 'ghost' is not in .*n\.csv"):
        read(tmp_path, "error")
    with pytest.raises(UserError, match=r"nor is 1 more\); or set missing \(--missing\) to drop"):
        read(tmp_path, "error")


def test_missing_cells_are_an_error_that_counts_and_names_them(tmp_path: Path) -> None:
    says = r"n\.csv line 3, column 'age': a value is missing; 2 are missing .* nodes 'ü1', 'ü3';"
    with pytest.raises(UserError, match=says):
        read(tmp_path, "error", edges=without_ghosts())


def test_what_lacks_something_is_dropped_with_its_edges(tmp_path: Path) -> None:
    own = read(tmp_path, "drop")
    assert own.ids == ["ü0", "ü4", "ü5"]
    assert own.data.edge_index.tolist() == [[1, 2], [2, 1]]
    assert own.notes == (
        f"nodes: 2 not in {tmp_path / 'n.csv'} dropped ('ghost', 'phantom')",
        "column 'age': 2 missing dropped (nodes 'ü1', 'ü3')",
        "column 'team': 1 missing dropped (nodes 'ü2')",
        "6 edges of nodes that are not there dropped",
    )


def test_what_is_missing_is_filled_with_usual_values(tmp_path: Path) -> None:
    own = read(tmp_path, "fill")
    assert own.ids == [f"ü{i}" for i in range(6)] + ["ghost", "phantom"]
    assert own.summary.edges == 7
    assert own.feature_names == ("age", "team=blue", "team=red", "bio:cats", "bio:dogs")
    assert own.data.x[:, 0].tolist() == [10, 20, 30, 20, 20, 20, 20, 20]
    assert own.data.x[[2, 6, 7], 1:3].tolist() == [[0, 0]] * 3
    assert "column 'age': 2 missing filled (nodes 'ü1', 'ü3')" in own.graph().report


def test_rows_that_a_file_of_features_lacks(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\n1,2\n2,3\n")
    (tmp_path / "n.csv").write_text("id,y\n1,a\n2,b\n3,a\n")
    (tmp_path / "x.csv").write_text("id,w\n3,5\n1,7\n9,9\n")

    def own(missing: Missing) -> OwnGraph:
        return read_own(
            tmp_path / "e.csv", nodes="n.csv", features="x.csv", label="y", missing=missing
        )

    with pytest.raises(UserError, match=r"x\.csv: has no row for the node '2'; or set"):
        own("error")
    assert own("fill").data.x.tolist() == [[7], [6], [5]]
    dropped = own("drop")
    assert dropped.ids == [1, 3]
    assert dropped.data.y.tolist() == [0, 0]
    assert "1 edges" not in str(dropped.summary)


@pytest.mark.parametrize(("missing", "nodes"), [("drop", 2), ("fill", 3)])
def test_matrices_have_gaps_too(missing: Missing, nodes: int, tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\n0,1\n1,2\n")
    np.save(tmp_path / "x.npy", np.array([[1, 2], [np.nan, 4], [5, 6.0]]))
    own = read_own(tmp_path / "e.csv", features="x.npy", missing=missing)
    assert own.data.num_nodes == nodes
    assert own.data.x[-1].tolist() == [5, 6]
    assert own.data.x[0].tolist() == [1, 2]
    assert missing == "drop" or own.data.x[1].tolist() == [3, 4]


def test_nothing_is_left_where_all_lack_something(tmp_path: Path) -> None:
    rows = "id,age,team,bio\nü0,,a,b\nü1,,a,b\n"
    with pytest.raises(UserError, match="every node lacks something"):
        read(tmp_path, "drop", rows, "a,b\nü0,ü1\n")


def test_kinds_name_columns_of_features(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\n1,2\n")
    (tmp_path / "n.csv").write_text("id,zip\n1,7\n2,7\n")
    with pytest.raises(UserError, match=r"kinds names 'zap', no column of features .*zip"):
        read_own(tmp_path / "e.csv", nodes="n.csv", features=["zip"], kinds={"zap": "text"})
    own = read_own(tmp_path / "e.csv", nodes="n.csv", features=["zip"], kinds={"zip": "category"})
    assert own.feature_names == ("zip=7",)
