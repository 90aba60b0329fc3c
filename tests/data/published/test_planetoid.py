"""Planetoid's files: equal to PyG's reader, and nothing in them is ever run."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.io import read_planetoid_data
from torch_geometric.utils import coalesce

from homogcl.core.errors import UserError
from homogcl.data.load import load

Writer = Callable[[dict[str, bytes]], Path]


def by_pyg(folder: Path, prefix: str) -> Data:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_planetoid_data(str(folder), prefix)


def assert_same_graph(ours: Data, theirs: Data) -> None:
    assert torch.equal(ours.x.to_dense(), theirs.x)
    assert torch.equal(ours.y, theirs.y)
    for mask in ("train_mask", "val_mask", "test_mask"):
        assert torch.equal(ours[mask], theirs[mask])


@pytest.mark.parametrize("title", ["Cora", "CiteSeer", "PubMed"])
def test_real_files_give_the_graph_that_pyg_reads(data_root: Path, title: str) -> None:
    ours = load(title, data_root, features="raw")
    theirs = by_pyg(data_root / "planetoid" / title / "raw", title)
    assert_same_graph(ours, theirs)
    # PyG sorts these edges by target; the set is symmetric, so sorting is all that differs.
    assert torch.equal(ours.edge_index, coalesce(theirs.edge_index))


def test_small_graph_with_a_gap_among_test_nodes(planetoid_root: Writer) -> None:
    graph = load("citeseer", planetoid_root({}), features="raw")
    assert graph.y.tolist() == [0, 1, 2, 0, 1, 2, 2, 0, 0, 1]
    pairs = [(0, 1), (0, 2), (3, 4), (4, 9), (5, 6)]
    both = sorted(pairs + [(target, source) for source, target in pairs])
    assert graph.edge_index.t().tolist() == [list(edge) for edge in both]
    assert graph.x.to_dense()[7].sum() == 0
    assert graph.train_mask.nonzero().flatten().tolist() == [0, 1, 2]
    assert graph.val_mask.nonzero().flatten().tolist() == [3, 4, 5]
    assert graph.test_mask.nonzero().flatten().tolist() == [6, 8, 9]
    assert graph.split_name == "public"


@pytest.mark.parametrize("content", [b"", b"6\nsix\n", b"6\n6\n8\n", b"7\n8\n9\n"])
def test_bad_test_index_is_named(planetoid_root: Writer, content: bytes) -> None:
    root = planetoid_root({"test.index": content})
    with pytest.raises(UserError, match=r"ind\.citeseer\.test\.index"):
        load("citeseer", root)


def test_parts_of_different_graphs_are_refused(
    planetoid_root: Writer, write_array: Callable[[npt.NDArray[np.generic]], bytes]
) -> None:
    root = planetoid_root({"ty": write_array(np.eye(3, dtype=np.int32)[[0, 1]])})
    with pytest.raises(UserError, match=r"ind\.citeseer\.ty: has shape \[2, 3\].*\[3, 3\]"):
        load("citeseer", root)


def test_edge_to_a_missing_node_is_named(
    planetoid_root: Writer, write_lists: Callable[[dict[int, list[int]]], bytes]
) -> None:
    root = planetoid_root({"graph": write_lists({0: [1], 2: [3, 10]})})
    with pytest.raises(UserError, match=r"citeseer: edge 2 joins node 2 to node 10.* 0 to 9"):
        load("citeseer", root)


def test_nan_feature_is_named(planetoid_root: Writer, write_matrix: Callable[..., bytes]) -> None:
    values = np.array([1, 1, np.nan], dtype=np.float32)
    indices = np.array([0, 2, 4], dtype=np.int32)
    starts = np.array([0, 1, 1, 1, 3, 3, 3], dtype=np.int32)
    root = planetoid_root({"allx": write_matrix(values, indices, starts, (6, 5))})
    with pytest.raises(UserError, match="citeseer: the features of node 3 hold nan in column 4"):
        load("citeseer", root)
