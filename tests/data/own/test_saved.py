"""Graphs that torch saved: read where they are data, refused where they could be more."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data, InMemoryDataset

from homogcl.core.errors import UserError
from homogcl.data.own.graph import read_own

EDGES = torch.tensor([[0, 1, 0, 2], [1, 2, 1, 2]])


def saved(folder: Path, value: object) -> Path:
    """The value in a file of `torch.save`."""
    torch.save(value, folder / "g.pt")
    return folder / "g.pt"


def test_data_comes_back(tmp_path: Path) -> None:
    graph = Data(
        x=torch.arange(8.0).view(4, 2),
        edge_index=EDGES,
        y=torch.tensor([[0], [1], [-1], [1]], dtype=torch.int32),
        train_mask=torch.tensor([True, False, False, False]),
        edge_weight=torch.tensor([1.0, 2.0, 3.0, 4.0]),
        ids=["a", "b", "c", "d"],
        edge_attr=torch.ones(4, 3),
        remark="left behind",
    )
    own = read_own(saved(tmp_path, graph))
    assert own.ids == ["a", "b", "c", "d"]
    assert torch.equal(own.data.x, graph.x)
    assert own.data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert own.data.edge_weight.tolist() == [2.0, 2.0, 2.0, 2.0]
    assert own.data.y.tolist() == [0, 1, -1, 1]
    assert torch.equal(own.data.train_mask, graph.train_mask)
    assert {"edge_attr", "remark"} & set(own.data.keys()) == set()
    summary = own.summary
    assert (summary.duplicates, summary.self_loops, summary.isolated) == (1, 1, 1)
    assert summary.homophily == 0.0
    assert own.classes == ("0", "1")


def test_data_without_features_gets_structural_ones(tmp_path: Path) -> None:
    own = read_own(saved(tmp_path, Data(edge_index=EDGES, num_nodes=5)))
    assert own.summary.structural
    assert own.ids == [0, 1, 2, 3, 4]
    assert own.data.x.shape == (5, 5)


def test_what_a_data_set_in_memory_keeps_is_read(tmp_path: Path) -> None:
    graph = Data(x=torch.ones(3, 2), edge_index=EDGES)
    InMemoryDataset.save([graph], str(tmp_path / "data.pt"))
    assert torch.equal(read_own(tmp_path / "data.pt").data.x, graph.x)


class Attack:
    """A pickle that would make a file if anything ran it."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.witness}",)


@pytest.mark.parametrize("place", ["whole", "member", "attribute", "plain"])
def test_hostile_pickle_is_refused_and_never_run(place: str, tmp_path: Path) -> None:
    attack = Attack(tmp_path / "witness")
    values: dict[str, object] = {
        "whole": attack,
        "member": {"x": attack},
        "attribute": Data(x=torch.ones(3, 2), edge_index=EDGES, extra=attack),
    }
    if place == "plain":
        path = tmp_path / "g.pt"
        path.write_bytes(pickle.dumps(attack))
    else:
        path = saved(tmp_path, values[place])
    with pytest.raises(UserError, match="could run code") as caught:
        read_own(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "witness").exists()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([1, 2], "holds a list"),
        (torch.ones(2), "holds a Tensor"),
        (Data(x=torch.ones(3, 2)), "needs edges"),
        (Data(x=torch.ones(2, 2), edge_index=EDGES), "from 0 to 1"),
        (Data(x=torch.ones(3, 2), edge_index=EDGES, y=torch.rand(3)), "one whole number per node"),
        (Data(x=torch.ones(3, 2), edge_index=EDGES, y=torch.ones(3, 2).long()), "leave it out"),
        (Data(x=torch.ones(3, 2), edge_index=EDGES, y=["a", "b", "c"]), "found a list"),
        (
            Data(x=torch.ones(3, 2), edge_index=EDGES, val_mask=torch.ones(3, 9).bool()),
            r"val_mask holds 9 splits; keep one, such as val_mask\[:, 0\]",
        ),
        (Data(x=torch.ones(3, 2), edge_index=EDGES, edge_weight=torch.zeros(4)), "edge 0 is not"),
        (Data(x=torch.ones(3, 2), edge_index=EDGES, ids=["a", "a", "b"]), "3 different texts"),
    ],
)
def test_what_is_no_graph_is_named(value: object, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        read_own(saved(tmp_path, value))


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 cut off"])
def test_damaged_files_are_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "g.pt").write_bytes(content)
    with pytest.raises(UserError, match=r"g\.pt: is no file of torch\.save"):
        read_own(tmp_path / "g.pt")
    with pytest.raises(UserError, match="no such file"):
        read_own(tmp_path / "none.pt")
    with pytest.raises(UserError, match="leave out source"):
        read_own(tmp_path / "g.pt", source="a")
