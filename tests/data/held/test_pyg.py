"""Graphs of torch_geometric: one of a data set, one relation of several."""

import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset

from homogcl.core.errors import UserError
from homogcl.data.held.pyg import from_pyg


class Graphs(InMemoryDataset):  # type: ignore[misc]
    """A data set in memory."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__()
        self.data, self.slices = self.collate(graphs)


def small() -> Data:
    return Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]))


def bipartite(items: int) -> HeteroData:
    graph = HeteroData()
    graph["user"].x, graph["item"].x = torch.ones(2, 3), torch.zeros(4, items)
    graph["user", "buys", "item"].edge_index = torch.tensor([[0, 1], [3, 0]])
    graph["item", "like", "item"].edge_index = torch.tensor([[0], [1]])
    return graph


def test_data_set_of_one_graph_is_that_graph() -> None:
    assert torch.equal(from_pyg(Graphs([small()])).x, torch.eye(3))
    with pytest.raises(UserError, match=r"has 2 graphs; give one"):
        from_pyg(Graphs([small(), small()]))


def test_relation_between_two_types_has_the_nodes_of_both() -> None:
    graph = bipartite(3)
    relation = from_pyg(graph["user", "buys", "item"])
    assert relation.ids == ["user 0", "user 1", "item 0", "item 1", "item 2", "item 3"]
    assert relation.edge_index.tolist() == [[0, 1], [5, 2]]
    assert relation.x.tolist() == [[1, 1, 1]] * 2 + [[0, 0, 0]] * 4
    uneven = bipartite(5)
    assert "x" not in from_pyg(uneven["user", "buys", "item"])


def test_relation_must_be_chosen() -> None:
    with pytest.raises(UserError, match=r"relations \('user', 'buys', 'item'\), \('item', 'like'"):
        from_pyg(bipartite(3))
    with pytest.raises(UserError, match="has the relations none"):
        from_pyg(HeteroData())


def test_relation_needs_its_graph() -> None:
    relation = bipartite(3)["user", "buys", "item"]
    with pytest.raises(UserError, match="the HeteroData of this relation is gone"):
        from_pyg(relation)


def test_other_values_are_refused() -> None:
    with pytest.raises(UserError, match="one relation of a HeteroData is taken, not a NodeStorage"):
        from_pyg(bipartite(3)["user"])


def test_batch_is_a_graph() -> None:
    assert from_pyg(Batch.from_data_list([small(), small()])).num_nodes == 6
