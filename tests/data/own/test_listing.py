"""The list of nodes: labels, splits, features, and nodes that are added or taken."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import torch

from homogcl.core.errors import UserError
from homogcl.data.own.features import MatrixFeatures
from homogcl.data.own.graph import read_own
from homogcl.data.own.listing import Listing


def test_parquet_of_nodes_with_gaps(folder: Path) -> None:
    table = pa.table({"id": [3, 1, 2], "field": [1.0, None, 0.0], "h": [1, 2, 3]})
    pyarrow.parquet.write_table(table, folder / "n.parquet")
    (folder / "e.csv").write_text("a,b\n1,2\n")
    own = read_own(folder / "e.csv", nodes="n.parquet", label="field", features=["h"])
    assert own.ids == [3, 1, 2]
    assert own.data.y.tolist() == [1, -1, 0]
    assert own.data.x.tolist() == [[1], [2], [3]]


def test_parts_of_the_split_have_the_names_that_people_give_them(tmp_path: Path) -> None:
    words = ["train", "Training", "val", "VALID", "validation", "test", "testing", ""]
    rows = "".join(f"n{place},{word}\n" for place, word in enumerate(words))
    (tmp_path / "n.csv").write_text("id,part\n" + rows)
    (tmp_path / "e.csv").write_text("a,b\nn0,n1\n")
    data = read_own(tmp_path / "e.csv", nodes="n.csv", split="part").data
    parts = [data[f"{part}_mask"].nonzero().flatten().tolist() for part in ("train", "val", "test")]
    assert parts == [[0, 1], [2, 3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("label", "x", "label is a column of the nodes; give nodes, too"),
        ("split", "x", "split is a column of the nodes; give nodes, too"),
        ("features", ["x"], "features are columns of the nodes; give nodes, too"),
    ],
)
def test_columns_of_nodes_need_a_file_of_nodes(
    setting: str, value: Any, says: str, tmp_path: Path
) -> None:
    (tmp_path / "e.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=rf"e\.csv: {says}"):
        read_own(tmp_path / "e.csv", seed=0, **{setting: value})


def test_nodes_are_taken_and_added_with_all_that_stands_beside_them() -> None:
    listing = Listing(
        pa.array(["a", "b", "c"]),
        "n.csv",
        MatrixFeatures("x.npy", np.arange(6.0).reshape(3, 2)),
        np.array([2, 0, 1]),
        y=torch.tensor([0, -1, 1]),
        masks={"train_mask": torch.tensor([True, False, True])},
    )
    part = listing.taken(np.array([2, 0])).with_nodes(pa.array(["z"]))
    assert part.ids.to_pylist() == ["c", "a", "z"]
    assert part.rows.tolist() == [1, 2, -1]
    assert part.features is not None
    assert part.features.missing().all(axis=1).tolist() == [False, False, True]
    assert part.y is not None
    assert part.y.tolist() == [1, 0, -1]
    assert part.masks["train_mask"].tolist() == [True, True, False]
