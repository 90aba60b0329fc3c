"""Graphs of networkx, igraph and DGL: what they lack is named."""

import igraph
import networkx as nx
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

from homogcl import Embedder
from homogcl.core.errors import UserError
from homogcl.data.held.graph import as_graph
from homogcl.data.held.networks import from_dgl, from_igraph, from_networkx
from homogcl.data.load import citation_graph


def test_nodes_keep_the_values_that_they_are() -> None:
    content = from_networkx(nx.grid_2d_graph(2, 3))
    assert content.ids == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert content.weight is None
    assert content.nodes.x is None


def test_attributes_are_features_labels_and_masks() -> None:
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, dict(enumerate([1, 2.5, True, 3])), "size")
    nx.set_node_attributes(graph, dict(enumerate("abba")), "kind")
    nx.set_node_attributes(graph, dict(enumerate([0, 1, 1, 0])), "y")
    nx.set_node_attributes(graph, dict(enumerate([True, False, True, False])), "train_mask")
    nodes = from_networkx(graph).nodes
    assert nodes.feature_names == ("size", "kind=a", "kind=b")
    assert nodes.x is not None
    assert nodes.x.to_dense()[:, 0].tolist() == [1, 2.5, 1, 3]
    assert nodes.y is not None
    assert nodes.y.tolist() == [0, 1, 1, 0]
    assert nodes.masks["train_mask"].tolist() == [True, False, True, False]


def test_a_graph_that_pytorch_geometric_wrote_comes_back_as_it_was() -> None:
    data = citation_graph(60, 3, 20)
    dense = Data(x=data.x.to_dense(), edge_index=data.edge_index, y=data.y)
    graph = as_graph(to_networkx(dense, node_attrs=["x", "y"], to_undirected=True))
    assert torch.equal(graph.x.to_dense(), dense.x)
    assert torch.equal(graph.y, dense.y)
    assert torch.equal(graph.edge_index, dense.edge_index)
    assert as_graph(igraph.Graph.from_networkx(nx.path_graph(["b", "a"]))).ids == ["b", "a"]


def test_new_nodes_are_read_as_those_of_the_training_were() -> None:
    graph = nx.circulant_graph(30, [1, 2])
    nx.set_node_attributes(graph, {i: "red" if i % 2 else "blue" for i in graph}, "color")
    embedder = Embedder("raw").fit(graph)
    other = nx.path_graph(3)
    nx.set_node_attributes(other, "red", "color")
    z = embedder.transform(other)
    assert (z == embedder.transform(graph)[1]).all()
    nx.set_node_attributes(other, 1.0, "size")
    with pytest.raises(UserError, match="also has 'size'"):
        embedder.transform(other)


def test_missing_attributes_are_counted_and_named() -> None:
    graph = nx.path_graph(9)
    nx.set_node_attributes(graph, {0: 1.0, 1: float("nan")}, "size")
    says = r"'size' is missing at 8 of 9 nodes \(1, 2, 3, 4, 5 and 3 more\)"
    with pytest.raises(UserError, match=says):
        from_networkx(graph)
    weighted = nx.path_graph(4)
    weighted.edges[0, 1]["weight"] = 2.0
    with pytest.raises(UserError, match="2 of 3 edges have no 'weight'"):
        from_networkx(weighted)


def test_vertices_without_names_are_numbers() -> None:
    assert from_igraph(igraph.Graph.Ring(4)).ids == [0, 1, 2, 3]
    named = igraph.Graph.Ring(3)
    named.vs["name"] = ["a", "a", "b"]
    with pytest.raises(UserError, match="3 different values, found 2"):
        from_igraph(named)


def test_graph_of_many_relations_is_refused() -> None:
    class Many:
        ntypes, etypes = ["a", "b"], ["r"]
        canonical_etypes = (("a", "r", "b"),)

    with pytest.raises(UserError, match=r"one relation, this one has \('a', 'r', 'b'\)"):
        from_dgl(Many())
