"""Names of data sets and of own graphs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from homogcl.core.errors import UnknownName
from homogcl.data import catalog
from homogcl.data.catalog import (
    data_names,
    graph_name,
    own_path,
    published_nodes,
    resolved_name,
    source,
)

# The package is entered without its `__init__`, which is not what is tested here.
WITHOUT_TORCH = """
import sys, types
package = types.ModuleType("homogcl")
package.__path__ = [sys.argv[1]]
sys.modules["homogcl"] = package
from homogcl.data.catalog import data_names, graph_name, source
assert source("cora").counts.nodes == 2708
assert graph_name("friends.csv") == "friends"
assert "demo" in data_names()
print({"torch", "torch_geometric", "scipy", "sklearn"} & set(sys.modules))
"""


def test_names_are_looked_up_without_torch() -> None:
    folder = Path(catalog.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("name", "resolved"),
    [
        ("Cora", "cora"),
        ("cora_ml", "coraml"),
        ("OGBN-arXiv", "arxiv"),
        ("demo", "demo"),
        ("Demo_H70_T30", "demo-h70-t30"),
        ("demo-h80", "demo"),  # its usual share
    ],
)
def test_case_and_strokes_do_not_matter(name: str, resolved: str) -> None:
    assert resolved_name(name) == graph_name(name) == resolved
    assert own_path(name) is None


def test_unknown_name_suggests_a_near_one() -> None:
    with pytest.raises(UnknownName, match="citeseer"):
        resolved_name("citeser")


def test_only_published_data_sets_have_a_source() -> None:
    assert {name for name in data_names() if source(name) is None} == {"demo"}


def test_a_path_is_an_own_graph_even_if_a_data_set_is_called_so(tmp_path: Path) -> None:
    assert own_path("./cora") == Path("cora")
    assert own_path(Path("cora")) == Path("cora")
    assert graph_name("./cora") == "cora-own"
    assert graph_name(tmp_path / "friends" / "graph.toml") == "friends"


def test_a_data_set_of_another_package_is_resolved_too(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = SimpleNamespace(name="mygraph")
    monkeypatch.setattr(catalog, "third_party", lambda group: {entry.name: entry})
    assert data_names()[-1] == "mygraph"
    assert resolved_name("My-Graph") == "mygraph"
    assert own_path("my_graph") is None


def test_only_published_graphs_have_a_size_that_is_listed() -> None:
    assert published_nodes("cora") == 2708
    assert published_nodes("demo") is None
    assert published_nodes("./cora") is None
