"""Shares of features: which nodes they are of, and what can be done without the rows."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.shared_rows import Share, SharedRows, parse_share
from homogcl.nn.sparse import take_rows

MATRIX = torch.arange(12.0).view(4, 3)


def own(numbers: Tensor) -> Tensor:
    return MATRIX[2:][numbers]


def features() -> SharedRows:
    return SharedRows.of((4, 3), Share(number=2, count=2), own, lambda nodes: MATRIX[nodes])


@pytest.mark.parametrize(("nodes", "count"), [(10, 1), (10, 3), (7, 7), (1_000_003, 4)])
def test_ranges_of_shares_are_all_nodes_in_turn(nodes: int, count: int) -> None:
    ranges = [Share(number=number + 1, count=count).nodes(nodes) for number in range(count)]
    starts = Share(number=1, count=count).starts(nodes)
    assert [each.start for each in ranges] == starts[:-1].tolist()
    assert [each.stop for each in ranges] == starts[1:].tolist()
    assert (ranges[0].start, ranges[-1].stop) == (0, nodes)
    lengths = [len(each) for each in ranges]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("text", ["", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/4"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="write it as 1/4"):
        parse_share(text)


def test_shape_is_known_and_rows_are_taken() -> None:
    x = features()
    assert x.shape == (4, 3)
    assert (x.size(0), x.dim(), x.numel(), x.dtype) == (4, 2, 12, torch.float32)
    assert x.layout == torch.strided
    assert repr(x) == "SharedRows((4, 3), share 2/2)"
    assert "x=[4, 3]" in repr(Data(x=x))
    rows = take_rows(x, torch.tensor([3, 0]))
    assert type(rows) is Tensor
    assert torch.equal(rows, MATRIX[[3, 0]])
    graph = copy.copy(Data(x=x, edge_index=torch.zeros(2, 0), num_nodes=4))
    assert (graph.num_nodes, graph.num_features) == (4, 3)


def test_what_reads_all_rows_is_refused() -> None:
    for read in (
        lambda x: x @ MATRIX.t(),
        lambda x: x[0],
        lambda x: x.sum(),
        lambda x: x + 1,
        lambda x: torch.cat([x, x]),
        lambda x: x.numpy(),
        lambda x: x.tolist(),
        lambda x: x.clone(),
    ):
        with pytest.raises(UserError, match="here is a share of the features"):
            read(features())
    alone = SharedRows.of((4, 3), Share(number=2, count=2), own)
    with pytest.raises(UserError, match="here is a share of the features"):
        take_rows(alone, torch.tensor([3]))
