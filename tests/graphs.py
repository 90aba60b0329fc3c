"""Small changes to graphs that several tests need."""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import coalesce


def dense(x: Tensor) -> Tensor:
    """The matrix with every zero written out."""
    return x.to_dense() if x.layout == torch.sparse_csr else x


def snapshot(graph: Data) -> dict[str, Tensor]:
    """Copies of all tensors of `graph`, dense."""
    tensors = {key: value for key, value in graph.to_dict().items() if isinstance(value, Tensor)}
    return {key: dense(value).clone() for key, value in tensors.items()}


def same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    """Whether two mappings hold the same bits under the same names."""
    return set(left) == set(right) and all(torch.equal(left[key], right[key]) for key in left)


def permuted(graph: Data, order: Tensor) -> Data:
    """The same graph in which node `order[i]` of old is number i."""
    place = order.argsort()
    edge_index = coalesce(place[graph.edge_index], num_nodes=graph.num_nodes)
    names = ("x", "y", "train_mask", "val_mask", "test_mask")
    return Data(edge_index=edge_index, **{key: graph[key][order] for key in names if key in graph})


def with_isolated(graph: Data, count: int) -> Data:
    """The same graph with `count` more nodes, of class 0, that have no edge."""
    more = graph.clone()
    more.x = torch.cat([graph.x, graph.x[:count].flip(1)])
    more.y = torch.cat([graph.y, graph.y.new_zeros(count)])
    for key in ("train_mask", "val_mask", "test_mask"):
        more[key] = torch.cat([graph[key], graph[key].new_zeros(count)])
    return more
