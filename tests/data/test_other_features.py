"""Other features for a data set: read in the nodes' order, known by their hash, or refused."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch

from homogcl.core.errors import UserError
from homogcl.data.load import citation_graph, load
from homogcl.data.other_features import OtherFeatures, other_features

NODES = citation_graph().x.size(0)


@pytest.fixture
def matrix() -> np.ndarray:
    """Three features for each node of the small data set."""
    return np.random.default_rng(0).normal(size=(NODES, 3))


def test_a_matrix_stands_in_for_the_features_and_for_nothing_else(
    tmp_path: Path, matrix: np.ndarray
) -> None:
    np.save(tmp_path / "titles.npy", matrix)
    usual = load("demo")
    graph = load("demo", features="raw", files={"features": tmp_path / "titles.npy"})
    torch.testing.assert_close(graph.x, torch.from_numpy(matrix).float())
    assert torch.equal(graph.edge_index, usual.edge_index)
    assert torch.equal(graph.y, usual.y)
    assert torch.equal(graph.test_mask, usual.test_mask)
    digest = hashlib.sha256((tmp_path / "titles.npy").read_bytes()).hexdigest()
    assert graph.files == {"titles.npy": digest}
    assert (graph.name, usual.name) == ("demo+titles", "demo")
    assert graph.report.startswith("features from titles.npy; features: ")


def test_the_hash_of_the_graph_depends_on_the_features(tmp_path: Path, matrix: np.ndarray) -> None:
    np.save(tmp_path / "one.npy", matrix)
    np.save(tmp_path / "two.npy", matrix + 1)
    np.save(tmp_path / "three.npy", matrix)
    one, two, three = (
        load("demo", files={"features": tmp_path / f"{name}.npy"}).sha256
        for name in ("one", "two", "three")
    )
    assert one == three
    assert len({one, two, load("demo").sha256}) == 3


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet", "sparse.npz"])
def test_every_kind_of_file_gives_the_same_features(
    tmp_path: Path, matrix: np.ndarray, ending: str
) -> None:
    order = np.random.default_rng(1).permutation(NODES)
    path = tmp_path / f"titles.{ending}"
    if ending == "sparse.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(matrix))
    elif ending == "npz":
        np.savez(path, x=matrix[order], ids=order)
    else:
        import pyarrow as pa
        from pyarrow import csv, parquet

        columns = {"paper": order, **{f"t{j}": matrix[order, j] for j in range(3)}}
        write = csv.write_csv if ending == "csv" else parquet.write_table
        write(pa.table(columns), path)
    graph = load("demo", features="raw", files={"features": str(path)})
    torch.testing.assert_close(graph.x.to_dense(), torch.from_numpy(matrix).float())


def test_they_are_scaled_as_those_of_own_graphs(tmp_path: Path, matrix: np.ndarray) -> None:
    np.save(tmp_path / "titles.npy", 5 + 2 * matrix)
    graph = load("demo", files={"features": tmp_path / "titles.npy"})
    torch.testing.assert_close(graph.x.mean(dim=0), torch.zeros(3), atol=1e-4, rtol=0)
    torch.testing.assert_close(graph.x.std(dim=0), torch.ones(3), atol=1e-2, rtol=0)


def test_columns_become_numbers_as_they_did_in_training(tmp_path: Path) -> None:
    kinds = [f"{number},{'ab'[number % 2]}\n" for number in range(NODES)]
    (tmp_path / "before.csv").write_text("paper,kind\n" + "".join(kinds))
    (tmp_path / "after.csv").write_text("paper,kind\n" + "".join(f"{n},b\n" for n in range(NODES)))
    before = load("demo", files={"features": tmp_path / "before.csv"})
    assert before.feature_names == ["kind=a", "kind=b"]
    after = load("demo", files={"features": tmp_path / "after.csv"}, recipe=before.recipe)
    assert torch.equal(after.x[:, 1], torch.ones(NODES))


def test_missing_cells_are_refused_or_filled_and_the_difference_is_known(
    tmp_path: Path, matrix: np.ndarray
) -> None:
    matrix[7, 2] = np.nan
    path = tmp_path / "titles.npy"
    np.save(path, matrix)
    with pytest.raises(UserError, match=r"titles\.npy row 7, column 2: a value is missing"):
        load("demo", files={"features": path})
    with pytest.raises(UserError, match="a data set keeps all of its nodes; set missing to fill"):
        load("demo", files={"features": path, "missing": "drop"})
    graph = load("demo", features="raw", files={"features": path, "missing": "fill"})
    assert bool(graph.x.isfinite().all())
    plain, filled = OtherFeatures(path), OtherFeatures(path, {"missing": "fill"})
    assert plain.identity() == {"features_sha256": plain.sha256()}
    assert filled.identity() == {"features_sha256": plain.sha256(), "features_missing": "fill"}


def test_as_many_rows_as_nodes_are_needed(tmp_path: Path, matrix: np.ndarray) -> None:
    np.save(tmp_path / "titles.npy", matrix[:-1])
    with pytest.raises(UserError, match=rf"titles\.npy: has {NODES - 1} rows for {NODES} nodes"):
        load("demo", files={"features": tmp_path / "titles.npy"})
    np.savez(tmp_path / "numbered.npz", x=matrix[1:], ids=np.arange(1, NODES))
    with pytest.raises(UserError, match=r"numbered\.npz: has no row for the node '0'"):
        load("demo", files={"features": tmp_path / "numbered.npz"})


def test_mistakes_are_named(tmp_path: Path, matrix: np.ndarray) -> None:
    np.save(tmp_path / "titles.npy", matrix)
    with pytest.raises(UserError, match=r"nowhere\.npy: there is no such file"):
        load("demo", files={"features": tmp_path / "nowhere.npy"})
    with pytest.raises(UserError, match=r"nowhere.*cannot be read"):
        OtherFeatures(tmp_path / "nowhere").sha256()
    with pytest.raises(UserError, match="demo is a data set: other features for it are a file"):
        load("demo", files={"features": ["age", "size"]})
    with pytest.raises(UserError, match="demo is a data set; label belongs to files of your own"):
        load("demo", files={"features": tmp_path / "titles.npy", "label": "x"})
    np.save(tmp_path / "empty.npy", matrix[:, :0])
    with pytest.raises(UserError, match=r"empty\.npy: has no features"):
        load("demo", files={"features": tmp_path / "empty.npy"})
    with pytest.raises(UserError, match="two kinds of features; give one"):
        load("demo", features="structural", files={"features": tmp_path / "titles.npy"})


def test_files_of_an_own_graph_name_none() -> None:
    assert other_features("friends.csv", {"features": "x.npy"}) is None
    assert other_features("demo", {}) is None
