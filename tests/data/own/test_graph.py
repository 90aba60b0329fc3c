"""Graphs from a user's own files: every form gives the same graph, and errors name the place."""

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
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
    pairs = {(own.ids[s], own.ids[t]) for s, t in own.data.edge_index.t().tolist()}
    assert own.ids == sorted(ends)
    assert pairs == {(names[s], names[t]) for s, t in both}
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
        (
            "papers.csv",
            "key,field,part\na,1,\nb,1,\na,1,\n",
            "line 4, column 'key': duplicate id 'a'",
        ),
        ("papers.csv", "key,field,part\na,1,\n,1,\n", "line 3, column 'key': the id is empty"),
        ("papers.csv", "key,field,part\np0,1,late\n", "line 2, column 'part': 'late' is none"),
        ("words.csv", "key,w\np0,1\n", "words.csv: has no row for the node 'p3'"),
        ("words.csv", "key,w\np0,1\np0,2\n", "line 3, column 'key': duplicate id 'p0'"),
        ("words.csv", "key,w\np0,one\np1,2\np2,3\n", "line 2, column 'w': 'one' is no number"),
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


def test_columns_that_nobody_named_are_told(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("from,to,strength,year\na,b,1,7\nb,c,2,8\n")
    (tmp_path / "nodes.csv").write_text("id,age,city,team\na,1,x,u\nb,2,y,v\nc,3,x,u\n")
    path, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    assert read_own(path, nodes=nodes, label="team").notes == (
        "edges: 'strength', 'year' not used (--weight takes one)",
        "nodes: 'age', 'city' not used (--features takes them)",
    )
    named = read_own(path, weight="strength", nodes=nodes, features=["age"])
    assert named.notes == ()
