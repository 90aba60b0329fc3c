"""Names of nodes and classes."""

import torch
from torch_geometric.data import Data

from homogcl.data.names import class_names, node_ids


def test_a_graph_without_names_has_numbers() -> None:
    graph = Data(num_nodes=3, y=torch.tensor([1, -1, 0]))
    assert node_ids(graph) == ["0", "1", "2"]
    assert class_names(graph) == ["0", "1"]


def test_names_of_the_file_are_kept_as_text() -> None:
    graph = Data(num_nodes=2, y=torch.tensor([0, -1]), ids=["a", 7], class_names=("x",))
    assert node_ids(graph) == ["a", "7"]
    assert class_names(graph) == ["x"]


def test_no_labels_no_classes() -> None:
    assert class_names(Data(num_nodes=2)) == []
    assert class_names(Data(num_nodes=2, y=torch.tensor([-1, -1]))) == []
