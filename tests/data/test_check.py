"""Every fault in a graph is named in one line with its first place."""

import pytest
import torch
from scipy.sparse import csr_matrix
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import validate
from homogcl.data.features import sparse_features

EDGES = torch.tensor([[0, 1, 2], [1, 2, 0]])


def test_sound_graph_passes(block_graph: Data) -> None:
    validate(block_graph, "blocks")
    validate(Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.int64)), "single")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": None}, r"graph: needs node features .*found none"),
        ({"x": torch.ones(3)}, r"found float32 of shape \[3\]"),
        ({"x": torch.ones(0, 3)}, r"found float32 of shape \[0, 3\]"),
        ({"edge_index": None}, "needs edges .*found none"),
        ({"edge_index": EDGES.t()}, r"found int64 of shape \[3, 2\]"),
        ({"edge_index": EDGES.int()}, "found int32"),
        ({"edge_index": EDGES + 1}, "edge 1 joins node 2 to node 3, but .* from 0 to 2"),
        ({"edge_index": EDGES - 1}, "edge 0 joins node -1 to node 0"),
        ({"edge_weight": torch.ones(2)}, r"needs 3 edge weights, found float32 of shape \[2\]"),
        ({"edge_weight": torch.tensor([1, torch.inf, 1])}, "weight of edge 1 is not a finite"),
        ({"y": torch.zeros(4, dtype=torch.int64)}, r"needs 3 int64 labels, .* shape \[4\]"),
        ({"y": torch.zeros(3)}, "needs 3 int64 labels, found float32"),
        ({"y": torch.tensor([-1, -2, 0])}, "node 1 has the label -2"),
        ({"val_mask": torch.ones(3)}, "val_mask must hold 3 truth values, found float32"),
    ],
)
def test_fault_is_named(changed: dict[str, torch.Tensor | None], message: str) -> None:
    graph = Data(**{"x": torch.ones(3, 2), "edge_index": EDGES, **changed})
    with pytest.raises(UserError, match=message) as caught:
        validate(graph, "graph")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_first_feature_that_is_not_finite_is_named(sparse: bool, value: float) -> None:
    x = torch.zeros(5, 4)
    x[0, 1], x[2, 3], x[3, 0] = 1, value, value
    graph = Data(x=sparse_features(csr_matrix(x.numpy())) if sparse else x, edge_index=EDGES)
    with pytest.raises(UserError, match=f"features of node 2 hold {value} in column 3"):
        validate(graph, "graph")
