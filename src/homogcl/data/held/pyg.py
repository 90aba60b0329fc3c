"""Graphs of torch_geometric: a `Data`, a data set of one graph, one relation of a `HeteroData`."""

from __future__ import annotations

from typing import Any

import torch
from torch_geometric.data import Data, Dataset, HeteroData
from torch_geometric.data.storage import EdgeStorage

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS

_AT_NODES = ("x", "y", *MASKS)


def from_pyg(value: Any) -> Data:
    """Return the one graph in a value of torch_geometric."""
    if isinstance(value, HeteroData):
        return _only_relation(value)
    if isinstance(value, EdgeStorage):
        return _relation(value)
    if isinstance(value, Dataset):
        if len(value) != 1:
            raise UserError(
                f"this data set has {len(value):,} graphs; give one, such as dataset[0]"
            )
        return from_pyg(value[0])
    if not isinstance(value, Data):
        raise UserError(
            f"of torch_geometric, a Data, a Dataset of one graph, or one relation of a HeteroData "
            f"is taken, not a {type(value).__name__}"
        )
    return value


def _only_relation(hetero: HeteroData) -> Data:
    if len(hetero.edge_types) != 1:
        names = ", ".join(str(each) for each in hetero.edge_types)
        raise UserError(
            f"this HeteroData has the relations {names or 'none'}; give one of them, such as "
            "data['paper', 'cites', 'paper']"
        )
    return _relation(hetero[hetero.edge_types[0]])


def _relation(store: EdgeStorage) -> Data:
    """Return one relation as a graph.

    Nodes of two types stand one type after the other, with ids such as "user 3"; they have features
    if both types have as many.
    """
    source, _, target = store._key
    hetero = store._parent()
    if hetero is None:
        raise UserError("the HeteroData of this relation is gone; keep it in a variable")
    types = list(dict.fromkeys((source, target)))
    sizes = {each: int(hetero[each].num_nodes or 0) for each in types}
    for each, row in ((source, 0), (target, 1)):
        sizes[each] = max([sizes[each], *(end + 1 for end in store.edge_index[row].tolist())])
    shift = torch.tensor([[0], [0 if source == target else sizes[source]]])
    graph = Data(edge_index=store.edge_index + shift, num_nodes=sum(sizes.values()))
    if store.get("edge_weight") is not None:
        graph.edge_weight = store.edge_weight
    for key in _AT_NODES if len(types) == 1 else ("x",):
        parts = [hetero[each].get(key) for each in types]
        if all(part is not None and part.shape[1:] == parts[0].shape[1:] for part in parts):
            graph[key] = torch.cat(parts)
    if len(types) == 2:
        graph.ids = [f"{each} {number}" for each in types for number in range(sizes[each])]
    return graph
