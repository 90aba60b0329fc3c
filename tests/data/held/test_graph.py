"""Whatever people hold: the same graph from each form, and ids beside the vectors."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data, HeteroData

from homogcl import Embedder, Tables, load
from homogcl.core.errors import UserError
from homogcl.data.held.graph import ACCEPTED, READERS, as_graph
from tests.data.held.conftest import EXPECTED, Listed

SMALL: dict[str, Any] = {"epochs": 1, "hidden_dim": 8, "out_dim": 4, "num_clusters": 2}


def pandas_edges(listed: Listed) -> pd.DataFrame:
    columns = {"source": listed.sources, "target": listed.targets, "weight": listed.weights}
    return pd.DataFrame(columns)


def pandas_nodes(listed: Listed) -> pd.DataFrame:
    return pd.DataFrame({"id": listed.ids, "age": listed.ages})


def adjacency(listed: Listed) -> Any:
    # A matrix has one weight for each pair, so that the two ways have their mean already.
    pairs, weights = listed.pairs[:5], [1.5, 2.0, 3.0, 4.0, 1.5]
    return scipy.sparse.coo_array((weights, pairs.T), shape=(6, 6))


def torch_adjacency(listed: Listed) -> torch.Tensor:
    pairs = torch.from_numpy(listed.pairs[:4].T.copy())
    return torch.sparse_coo_tensor(pairs, torch.arange(1.0, 5), (5, 5))


def networkx_graph(listed: Listed) -> Any:
    graph = nx.MultiGraph()
    graph.add_nodes_from(
        (i, {"age": a, "note": {}}) for i, a in zip(listed.ids, listed.ages, strict=True)
    )
    edges = zip(listed.sources, listed.targets, listed.weights, strict=True)
    graph.add_weighted_edges_from(edges)
    return graph


def igraph_graph(listed: Listed) -> Any:
    graph = igraph.Graph(n=6, edges=listed.pairs.tolist(), directed=True)
    graph.vs["name"], graph.vs["age"], graph.es["weight"] = listed.ids, listed.ages, listed.weights
    return graph


class DGLGraph:
    """Stands in for a graph of DGL, which cannot be had everywhere: it has the same methods."""

    ntypes, etypes, canonical_etypes = ["_N"], ["_E"], [("_N", "_E", "_N")]

    def __init__(self, listed: Listed) -> None:
        self._pairs = torch.from_numpy(listed.pairs)
        self.ndata = {"feat": torch.tensor(listed.ages)[:, None], "label": torch.arange(6) % 2}
        self.edata = {"weight": torch.tensor(listed.weights)}

    def edges(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self._pairs[:, 0], self._pairs[:, 1]

    def num_nodes(self) -> int:
        return 6


DGLGraph.__module__ = "dgl.heterograph"


def arrays(listed: Listed) -> dict[str, Any]:
    return {
        "edge_index": torch.from_numpy(listed.pairs.T.copy()),
        "x": torch.tensor(listed.ages)[:, None],
        "edge_weight": torch.tensor(listed.weights),
    }


def hetero(listed: Listed) -> Any:
    graph = HeteroData()
    graph["person"].x = torch.tensor(listed.ages)[:, None]
    graph["person", "knows", "person"].edge_index = arrays(listed)["edge_index"]
    graph["person", "knows", "person"].edge_weight = arrays(listed)["edge_weight"]
    return graph


def relation(listed: Listed) -> Any:
    graph = hetero(listed)
    store = graph["person", "knows", "person"]
    store.owner = graph  # which it only knows as long as somebody holds it
    return store


# Each form with weights and a feature, and whether it knows names.
FORMS: dict[str, tuple[Callable[[Listed], Any], bool]] = {
    "pandas": (lambda g: Tables(pandas_edges(g), pandas_nodes(g)), True),
    "pandas, index": (lambda g: Tables(pandas_edges(g), pandas_nodes(g).set_index("id")), True),
    "pandas, pair": (lambda g: (pandas_edges(g), pandas_nodes(g)), True),
    "polars": (
        lambda g: Tables(
            pl.DataFrame(pandas_edges(g).to_dict("list")),
            pl.DataFrame(pandas_nodes(g).to_dict("list")),
        ),
        True,
    ),
    "networkx": (networkx_graph, True),
    "igraph": (igraph_graph, True),
    "scipy": (lambda g: (adjacency(g), np.array(g.ages)[:, None]), False),
    "dict": (arrays, False),
    "Data": (lambda g: Data(**arrays(g)), False),
    "relation": (relation, False),
    "HeteroData": (hetero, False),
    "DGL stand-in": (DGLGraph, False),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_graph(form: str, listed: Listed) -> None:
    make, named = FORMS[form]
    held = make(listed)
    graph = load(held, features="raw")
    place = {each: number for number, each in enumerate(listed.ids if named else range(6))}
    number = [place[each] for each in graph.ids]
    pairs = [(number[s], number[t]) for s, t in graph.edge_index.t().tolist()]
    weights = dict(zip(pairs, graph.edge_weight.tolist(), strict=True))
    assert weights == EXPECTED | {(t, s): w for (s, t), w in EXPECTED.items()}
    assert graph.x.reshape(-1).tolist() == [listed.ages[each] for each in number]


@pytest.mark.parametrize("form", FORMS)
def test_vectors_come_back_with_ids(form: str, listed: Listed) -> None:
    make, named = FORMS[form]
    embedder = Embedder("grace+homogcl", **SMALL)
    z = embedder.fit_transform(make(listed))
    assert z.shape == (6, 4)
    assert embedder.ids_ == (listed.ids if named else list(range(6)))
    assert embedder.recipe_ is not None
    assert "standard" in str(embedder.recipe_)


BARE: dict[str, Callable[[Listed], Any]] = {
    "pandas": pandas_edges,
    "polars": lambda g: pl.DataFrame(pandas_edges(g).to_dict("list")),
    "numpy [E, 2]": lambda g: g.pairs,
    "numpy [2, E]": lambda g: g.pairs.T,
    "scipy": adjacency,
    "torch": lambda g: torch.from_numpy(g.pairs),
    "torch sparse": torch_adjacency,
    "Data": lambda g: Data(edge_index=torch.from_numpy(g.pairs.T.copy()), num_nodes=6),
}


@pytest.mark.parametrize("form", BARE)
def test_forms_without_features_get_structural_ones(form: str, listed: Listed) -> None:
    held = BARE[form](listed)
    graph = load(held)
    assert graph.structural
    assert graph.num_edges == 8
    assert "features made of the edges" in graph.report
    embedder = Embedder("grace+homogcl", **SMALL).fit(held)
    assert embedder.ids_ == list(graph.ids)
    assert embedder.transform(held).shape[0] == graph.num_nodes


@pytest.mark.parametrize("held", [None, 3, ["a"], ("a", "b", "c"), {"nodes": 3}, object()])
def test_anything_else_is_refused_with_what_is_accepted(held: object) -> None:
    with pytest.raises(UserError) as caught:
        Embedder("grace+homogcl", **SMALL).fit(held)
    assert str(caught.value).endswith(ACCEPTED)
    assert "\n" not in str(caught.value)


def test_every_package_is_in_the_message() -> None:
    packages = {name.partition(".")[0] for name in READERS} - {"builtins", "pathlib"}
    assert [name for name in packages if name not in ACCEPTED.lower()] == []


def test_values_of_derived_classes_are_known(listed: Listed) -> None:
    class Friends(nx.MultiGraph):  # type: ignore[misc]
        pass

    assert as_graph(Friends(networkx_graph(listed))).num_nodes == 6


def test_paths_are_read(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\né,ü\n")
    for place in (tmp_path / "e.csv", str(tmp_path / "e.csv")):
        assert as_graph(place).ids == ["é", "ü"]


def test_files_have_settings_and_values_do_not(listed: Listed) -> None:
    with pytest.raises(UserError, match=r"weight belongs to files; homogcl\.Tables takes the same"):
        load(listed.pairs, files={"weight": "w"})


def test_recipe_of_the_training_holds_for_other_tables(listed: Listed, tmp_path: Path) -> None:
    edges, nodes = pandas_edges(listed), pandas_nodes(listed)
    nodes["team"] = ["a", "a", "a", "b", "b", "b"]
    embedder = Embedder("raw").fit(Tables(edges, nodes))
    part = nodes.iloc[:3, ::-1].assign(id=["x", "y", "z"])  # columns in another order, one level
    other = Tables(pd.DataFrame({"source": ["x", "y"], "target": ["y", "z"]}), part)
    vectors = Embedder.load(embedder.save(tmp_path / "e")).transform(other)
    expected = embedder.transform(Tables(edges, nodes))[:3]
    np.testing.assert_array_equal(vectors, expected)
    assert load(other, recipe=embedder.recipe_).recipe == embedder.recipe_
    with pytest.raises(UserError, match="features are scaled unlike the training graph's"):
        embedder.transform(load(Tables(edges, nodes.assign(age=2 * nodes["age"]))))
    with pytest.raises(UserError, match="this graph lacks 'age'"):
        embedder.transform(Tables(edges, nodes[["id", "team"]]))


def test_labels_and_splits_of_tables_are_taken(listed: Listed) -> None:
    nodes = pandas_nodes(listed)
    nodes["team"], nodes["part"] = list("aabbab"), ["train", "val", "test"] * 2
    graph = load(Tables(pandas_edges(listed), nodes, label="team", split="part"))
    assert graph.y.tolist() == [0, 0, 1, 1, 0, 1]
    assert graph.class_names == ["a", "b"]
    assert graph.split_name == "public"
    assert graph.train_mask.tolist() == [True, False, False] * 2
    assert graph.feature_names == ["age"]


def test_no_package_is_needed_but_that_of_the_value() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['pandas', 'polars', 'igraph', 'dgl', 'pyarrow']))\n"
        "import numpy, homogcl\n"
        "print(homogcl.load(numpy.array([[0, 1], [1, 2], [2, 3]])).num_nodes)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("4\n", 0), done.stderr
