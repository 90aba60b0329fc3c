"""The files of a user's own graph: which there are, and each one as a table."""

import gzip
import sys
from pathlib import Path

import networkx
import pytest

from homogcl.core.errors import UserError
from homogcl.data.own.files import GraphFiles, description, graph_files, open_network, open_table
from homogcl.data.own.graph import read_own


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


def test_settings_prevail_over_the_file(folder: Path) -> None:
    own = read_own(folder / "graph.toml", target="paper", source="cites", split=None)
    assert "train_mask" not in own.data
    assert own.data.edge_weight.tolist() == [1, 2, 1, 4, 2, 4]


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


def test_folder_without_description(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"graph\.toml: is missing"):
        read_own(tmp_path)
    with pytest.raises(UserError, match="no such file or folder"):
        read_own(tmp_path / "nowhere")


def test_paths_start_where_the_description_lies(folder: Path) -> None:
    files = graph_files(folder, {})
    assert files == graph_files(folder / "graph.toml", {})
    assert (files.edges, files.nodes) == (folder / "edges.csv", folder / "papers.csv")
    assert files.paths() == [folder / name for name in ("edges.csv", "papers.csv", "words.csv")]
    assert graph_files(folder, {"features": "papers.csv"}).paths() == files.paths()[:2]
    assert graph_files(folder, {"features": ["title"]}).paths() == files.paths()[:2]
    bare = graph_files(folder / "edges.csv", {"weight": "times"})
    assert bare == GraphFiles(edges=folder / "edges.csv", weight="times")


def test_description_is_the_folders_or_the_file_itself(folder: Path) -> None:
    assert description(folder) == folder / "graph.toml"
    assert description(folder / "graph.toml") == folder / "graph.toml"
    assert description(folder / "edges.csv") is None


def test_unknown_kind_of_file_offers_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "e.cvs").touch()
    with pytest.raises(UserError, match=r"e\.cvs: unknown kind of file \(did you mean: \.csv"):
        open_table(tmp_path / "e.cvs")
    with pytest.raises(UserError, match=r"e\.csv: there is no such file"):
        open_table(tmp_path / "e.csv")


def test_missing_networkx_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.gexf").touch()
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(UserError, match=r"\.gexf needs networkx: pip install 'homogcl\[tables\]'"):
        open_network(tmp_path / "g.gexf")


def test_attributes_of_several_kinds_are_read_as_text(tmp_path: Path) -> None:
    network = networkx.Graph()
    network.add_node("a", size=1)
    network.add_node("b", size="large")
    network.add_node("c")
    network.add_edge("a", "b")
    networkx.write_graphml(network, tmp_path / "g.graphml")
    edges, nodes = open_network(tmp_path / "g.graphml")
    assert edges.names[:2] == ["source", "target"]
    [size] = nodes.text(["size"])
    assert size.to_pylist() == ["1", "large", ""]
