"""Graphs of networkx, igraph and DGL: what they lack is named."""

import igraph
import networkx as nx
import pytest

from homogcl.core.errors import UserError
from homogcl.data.held.networks import from_dgl, from_igraph, from_networkx


def test_nodes_keep_the_values_that_they_are() -> None:
    content = from_networkx(nx.grid_2d_graph(2, 3))
    assert content.ids == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert content.weight is None
    assert content.nodes.x is None


def test_numbers_at_nodes_are_features_and_texts_are_none() -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 1, 1: 2.5, 2: True}, "size")
    nx.set_node_attributes(graph, "text", "name")
    content = from_networkx(graph)
    assert content.nodes.feature_names == ("size",)
    assert content.nodes.x is not None
    assert content.nodes.x.tolist() == [[1], [2.5], [1]]


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
