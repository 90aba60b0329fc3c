"""Graphs from a user's own files: every form gives the same graph, and errors name the place."""

import gzip
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.data.own.graph import read_own

EDGES = [("b", "a", 2.0), ("a", "b", 4.0), ("c", "b", 1.0), ("c", "b", 2.0), ("d", "d", 5.0)]
EXPECTED = {("a", "b"): 3.0, ("b", "a"): 3.0, ("b", "c"): 1.5, ("c", "b"): 1.5}
Write = Callable[[Path], Path]


def _text(name: str, delimiter: str, header: bool = True) -> Write:
    def write(folder: Path) -> Path:
        rows = [("from", "to", "strength")] if header else []
        lines = [delimiter.join(map(str, row)) for row in [*rows, *EDGES]]
        path = folder / name
        content = ("\n".join(lines) + "\n").encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def _parquet(folder: Path) -> Path:
    source, target, weight = zip(*EDGES, strict=True)
    table = pa.table({"from": source, "to": target, "strength": weight})
    pyarrow.parquet.write_table(table, folder / "edges.parquet")
    return folder / "edges.parquet"


def _commented_list(folder: Path) -> Path:
    path = folder / "edges.txt"
    lines = ["# a comment", "", "# another", *(" ".join(map(str, row)) for row in EDGES)]
    path.write_text("\n".join(lines))
    return path


def edge_weights(path: Path, weight: str) -> dict[tuple[object, object], float]:
    """The edges by the ids of their ends."""
    own = read_own(path, weight=weight)
    pairs = own.data.edge_index.t().tolist()
    weights = own.data.edge_weight.tolist()
    return {(own.ids[s], own.ids[t]): w for (s, t), w in zip(pairs, weights, strict=True)}


@pytest.mark.parametrize(
    ("write", "weight"),
    [
        (_text("edges.csv", ","), "strength"),
        (_text("semicolons.csv", ";"), "strength"),
        (_text("spaced.csv", ", "), "strength"),
        (_text("edges.csv.gz", ","), "strength"),
        (_text("edges.tsv", "\t"), "strength"),
        (_text("edges.tsv.gz", "\t"), "strength"),
        (_text("edges.edges", "\t", header=False), "weight"),
        (_text("edges.edgelist.gz", " ", header=False), "weight"),
        (_commented_list, "weight"),
        (_parquet, "strength"),
    ],
)
def test_every_form_of_edges_gives_the_same_graph(
    write: Write, weight: str, tmp_path: Path
) -> None:
    path = write(tmp_path)
    own = read_own(path, weight=weight)
    assert own.ids == ["a", "b", "c", "d"]
    assert edge_weights(path, weight) == EXPECTED
    assert (own.summary.rows, own.summary.edges) == (5, 2)
    assert (own.summary.duplicates, own.summary.self_loops, own.summary.one_way) == (1, 1, 1)
    assert own.summary.isolated == 1
    assert own.summary.structural
    assert own.summary.homophily is None


@pytest.mark.parametrize("form", ["graphml", "gexf"])
@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph])
def test_networks_bring_their_nodes_and_attributes(
    form: str, kind: type[networkx.Graph], tmp_path: Path
) -> None:
    network = kind()
    network.add_node("far", team="red", size=1.5)
    network.add_node("b", team="blue", size=2.5)
    network.add_node("a", team="blue", size=0.5)
    network.add_edge("b", "a", weight=2.0)
    path = tmp_path / f"g.{form}"
    getattr(networkx, f"write_{form}")(network, path)
    own = read_own(path, weight="weight", label="team", features=["size"])
    assert own.ids == ["far", "b", "a"]
    assert own.data.edge_index.tolist() == [[1, 2], [2, 1]]
    assert own.data.edge_weight.tolist() == [2.0, 2.0]
    assert own.data.x.tolist() == [[1.5], [2.5], [0.5]]
    assert own.classes == ("blue", "red")
    assert own.data.y.tolist() == [1, 0, 0]


@given(
    st.lists(st.tuples(st.integers(-5, 12), st.integers(-5, 12)), min_size=1, max_size=40),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_report_counts_what_sets_count(rows: list[tuple[int, int]], named: bool) -> None:
    names = {i: f"n{i}" if named else i for i in range(-5, 13)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        path.write_text("u,v\n" + "".join(f"{names[s]},{names[t]}\n" for s, t in rows))
        own = read_own(path)
        path.write_text("u,v\n" + "".join(f"{names[s]},{names[t]}\n" for s, t in rows[::-1]))
        again = read_own(path)
    ends = {names[end] for row in rows for end in row}
    given_ways = {row for row in rows if row[0] != row[1]}
    both = given_ways | {(t, s) for s, t in given_ways}
    found = {(own.ids[s], own.ids[t]) for s, t in own.data.edge_index.t().tolist()}
    assert own.ids == sorted(ends)
    assert found == {(names[s], names[t]) for s, t in both}
    summary = own.summary
    assert (summary.nodes, summary.rows, summary.edges) == (len(ends), len(rows), len(both) // 2)
    assert summary.duplicates == sum(s != t for s, t in rows) - len(given_ways)
    assert summary.self_loops == sum(s == t for s, t in rows)
    assert summary.one_way == len(both) - len(given_ways)
    assert summary.isolated == len(ends - {names[end] for row in both for end in row})
    assert summary.structural
    assert summary.homophily is None
    assert again.summary == own.summary
    assert torch.equal(again.data.edge_index, own.data.edge_index)


def test_numbers_in_the_first_line_are_an_edge_and_not_names(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("10,9\n9,2\n")
    own = read_own(tmp_path / "edges.csv")
    assert own.ids == [2, 9, 10]
    assert own.data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]


def test_ids_with_leading_zeros_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\n01,1\n")
    assert read_own(tmp_path / "edges.csv").ids == ["01", "1"]


def test_unnamed_row_numbers_are_no_end(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(",a,b\n0,x,y\n1,y,z\n")
    assert read_own(tmp_path / "edges.csv").ids == ["x", "y", "z"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A graph with everything: nodes out of order, gaps in labels and split."""
    (tmp_path / "edges.csv").write_text("paper,cites,times\np1,p3,1\np3,p2,2\np9,p1,4\n")
    (tmp_path / "papers.csv").write_text(
        "title,key,field,part\n"
        '"On, and\non",p3,10,train\nB,p1,9,val\nC,p2,,\nD,p9,9,TEST\nE,p0,10,train\n'
    )
    (tmp_path / "words.csv").write_text(
        "w1,key,w2\n1,p0,0\n2,p1,0.5\n3,p2,0\n4,p3,-1\n5,p9,0\n6,other,0\n"
    )
    (tmp_path / "graph.toml").write_text(
        'edges = "edges.csv"\nsource = "paper"\ntarget = "cites"\nweight = "times"\n'
        'nodes = "papers.csv"\nid = "key"\nfeatures = "words.csv"\n'
        'label = "field"\nsplit = "part"\n'
    )
    return tmp_path


def test_folder_with_everything(folder: Path) -> None:
    own = read_own(folder)
    data = own.data
    assert own.ids == ["p3", "p1", "p2", "p9", "p0"]
    assert data.edge_index.tolist() == [[0, 0, 1, 1, 2, 3], [1, 2, 0, 3, 0, 1]]
    assert data.edge_weight.tolist() == [1, 2, 1, 4, 2, 4]
    assert data.x.tolist() == [[4, -1], [2, 0.5], [3, 0], [5, 0], [1, 0]]
    assert own.classes == ("9", "10")
    assert data.y.tolist() == [1, 0, -1, 0, 1]
    assert data.train_mask.tolist() == [True, False, False, False, True]
    assert data.val_mask.tolist() == [False, True, False, False, False]
    assert data.test_mask.tolist() == [False, False, False, True, False]
    assert own.summary.homophily == 0.5
    assert [path.name for path in own.files] == [
        "graph.toml",
        "edges.csv",
        "papers.csv",
        "words.csv",
    ]
    assert len(read_own(folder / "edges.csv").files) == 1
    assert str(own.summary) == (
        "5 nodes, 3 edges, 3 given one way and taken both ways, 1 node without edges, "
        "edge homophily 0.50"
    )


def test_settings_prevail_over_the_file(folder: Path) -> None:
    own = read_own(folder / "graph.toml", target="paper", source="cites", split=None)
    assert "train_mask" not in own.data
    assert own.data.edge_weight.tolist() == [1, 2, 1, 4, 2, 4]


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
    order = torch.tensor([own.ids.index(i) for i in range(4)])  # type: ignore[arg-type]
    assert sorted(own.ids) == [0, 1, 2, 3]
    assert torch.equal(own.data.x.to_dense()[order], torch.from_numpy(MATRIX))
    assert {own.ids[i] for i in own.data.edge_index[0].tolist()} == {0, 2}


def test_rows_of_arrays_follow_the_file_of_nodes(folder: Path) -> None:
    values = np.arange(10.0).reshape(5, 2) + 1
    np.save(folder / "x.npy", values)
    assert read_own(folder, features="x.npy").data.x.tolist() == values.tolist()


def test_parquet_of_nodes_with_gaps(folder: Path) -> None:
    table = pa.table({"id": [3, 1, 2], "field": [1.0, None, 0.0], "h": [1, 2, 3]})
    pyarrow.parquet.write_table(table, folder / "n.parquet")
    (folder / "e.csv").write_text("a,b\n1,2\n")
    own = read_own(folder / "e.csv", nodes="n.parquet", label="field", features=["h"])
    assert own.ids == [3, 1, 2]
    assert own.data.y.tolist() == [1, -1, 0]
    assert own.data.x.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("edges.csv", "paper,cites,times\np1,p3,1\n\np3,p2,x\n", "line 4, column 'times': 'x'"),
        ("edges.csv", "paper,cites,times\np1,p3,1\np3,p2\n", "line 3: has 2 cells instead of 3"),
        ("edges.csv", "paper,cites,times\np1,p3,\n", "line 2, column 'times': a finite"),
        ("edges.csv", "paper,cites,times\np1,p3,nan\n", "line 2, column 'times': a finite"),
        ("edges.csv", "paper,cites,times\np1,p3,-1\n", "line 2, column 'times': the weight -1"),
        ("edges.csv", "paper,cites,times\np1,,1\n", "line 2, column 'cites': the id is empty"),
        ("edges.csv", "paper,cites,times\n\np1,px,1\n", "line 3, column 'cites': the node 'px'"),
        ("edges.csv", "paper,citse,times\np1,p3,1\n", "did you mean: citse, times?"),
        ("edges.csv", "paper,paper,times\np1,p3,1\n", "line 1: two columns have the name"),
        ("edges.csv", "", "edges.csv: is empty"),
        ("papers.csv", "key,field,part\na,1,\nb,1,\na,1,\n", "line 4, column 'key': the id 'a'"),
        ("papers.csv", "key,field,part\na,1,\n,1,\n", "line 3, column 'key': the id is empty"),
        ("papers.csv", "key,field,part\np0,1,late\n", "line 2, column 'part': 'late' is none"),
        ("words.csv", "key,w\np0,1\n", "words.csv: has no row for the node 'p3'"),
        ("words.csv", "key,w\np0,1\np0,2\n", "line 3, column 'key': the id 'p0'"),
        ("words.csv", "key,w\np0,one\n", "line 2, column 'w': 'one' is no number"),
        ("graph.toml", 'edges = "edges.csv"\nsorce = "a"\n', "did you mean: source?"),
        ("graph.toml", 'nodes = "papers.csv"\n', "names no edges"),
        ("graph.toml", "edges = 3\n", "graph.toml: edges = 3"),
        ("graph.toml", "edges = \n", "at line 1, column 9"),
        ("graph.toml", 'edges = "none.csv"\n', "none.csv: there is no such file"),
        ("graph.toml", 'edges = "edges.csv"\nlabel = "field"\n', "give nodes, too"),
        ("graph.toml", 'edges = "graph.toml"\n', "unknown kind of file"),
    ],
)
def test_errors_name_the_place_in_one_line(
    file: str, content: str, says: str, folder: Path
) -> None:
    (folder / file).write_text(content)
    with pytest.raises(UserError) as caught:
        read_own(folder)
    assert says in str(caught.value)
    assert str(folder / file) in str(caught.value) or file == "graph.toml"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("latin.csv", b"a,b\nx,y\nx,\xe9\n", "line 3: is not UTF-8"),
        ("cut.csv.gz", gzip.compress(b"a,b\n" + b"x,y\n" * 99, mtime=0)[:-12], "cut.csv.gz: "),
        ("no.parquet", b"a,b\n", "is no Parquet file"),
        ("torn.graphml", b"<graphml>\n<graph>\n</graphml>", "line 3"),
        ("odd.graphml", b'<?xml version="1.0" encoding="QTF-8"?>\n<graphml/>', "QTF-8"),
        ("only.csv", b"a\nx\n", "no column 2 for target"),
        ("header.csv", b"a,b\n", "has no edges"),
    ],
)
def test_broken_files_are_refused(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=says) as caught:
        read_own(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.ones(5), r"shape \[nodes, features\]"),
        (np.array([["a"]] * 5), "needs numbers"),
        (np.ones((4, 2)), "has 4 rows for 5 nodes"),
        (np.array([[1.0, 2.0]] * 4 + [[1.0, math.inf]]), "row 4, column 1: not a finite"),
        (np.array([[None]] * 5), "cannot be read as numbers"),
    ],
)
def test_arrays_that_are_no_features_are_refused(
    array: np.ndarray, says: str, folder: Path
) -> None:
    np.save(folder / "x.npy", array, allow_pickle=True)
    with pytest.raises(UserError, match=says):
        read_own(folder, features="x.npy")


def test_missing_pyarrow_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'homogcl\[tables\]'"):
        read_own(folder)


def test_folder_without_description(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"graph\.toml: is missing"):
        read_own(tmp_path)
    with pytest.raises(UserError, match="no such file or folder"):
        read_own(tmp_path / "nowhere")
