"""Hashes of what a graph was read from."""

import hashlib
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.hashes import file_sha256, tensor_sha256
from homogcl.data.load import load
from homogcl.data.own.graph import read_own


def test_hash_follows_content_and_columns_but_not_the_place(friends: Path, tmp_path: Path) -> None:
    first = load(friends).sha256
    moved = friends.rename(tmp_path / "moved")
    assert load(moved).sha256 == first
    assert load(moved, files={"source": "b", "target": "a"}).sha256 != first
    (moved / "edges.csv").write_text("a,b\nn00,n01\n")
    assert load(moved).sha256 != first


def test_files_are_called_as_in_the_folder_of_the_graph(friends: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "words.csv"
    elsewhere.write_text("id,w\n" + "".join(f"n{i:02},{i}\n" for i in range(40)))
    own = read_own(friends, features=str(elsewhere))
    names = {"graph.toml": friends, "edges.csv": friends, "nodes.csv": friends}
    expected = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name, folder in {**names, "words.csv": tmp_path}.items()
    }
    assert file_sha256(own, friends) == file_sha256(own, friends / "graph.toml") == expected


def graph(**changes: object) -> Data:
    """Three nodes and everything that is hashed."""
    parts: dict[str, object] = {
        "x": torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]),
        "edge_index": torch.tensor([[0, 1], [1, 0]]),
        "edge_weight": torch.tensor([1.0, 2.0]),
        "y": torch.tensor([0, 1, -1]),
        "train_mask": torch.tensor([True, False, False]),
    }
    return Data(**{**parts, **changes})


def test_equal_tensors_give_equal_hashes_whatever_else_a_graph_has() -> None:
    expected = tensor_sha256(graph())
    assert tensor_sha256(graph(name="other", ids=["a", "b", "c"])) == expected
    strided = torch.tensor([[0, 1], [1, 0]]).t().contiguous().t()
    assert tensor_sha256(graph(edge_index=strided)) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"x": torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, -1.0]])},
        {"x": torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).double()},
        {"x": torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).view(2, 3)},
        {"edge_index": torch.tensor([[0, 2], [2, 0]])},
        {"edge_weight": torch.tensor([1.0, 2.5])},
        {"edge_weight": None},
        {"y": torch.tensor([0, 1, 1])},
        {"train_mask": None, "val_mask": torch.tensor([True, False, False])},
        {"test_mask": torch.tensor([False, False, True])},
    ],
)
def test_any_change_of_a_tensor_shows(changes: dict[str, object]) -> None:
    assert tensor_sha256(graph(**changes)) != tensor_sha256(graph())


def test_sparse_features_are_hashed_by_place_and_value() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    moved = torch.tensor([[0.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    hashes = [tensor_sha256(graph(x=each.to_sparse_csr())) for each in (x, moved, 2 * x, x.clone())]
    assert len(set(hashes)) == 3
    assert hashes[0] == hashes[3]
    assert tensor_sha256(graph()) not in hashes
