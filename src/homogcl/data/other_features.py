"""A file of features that stands in for those of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.catalog import own_path
from homogcl.data.columns import Column
from homogcl.data.features import compact
from homogcl.data.own.files import validated_files
from homogcl.data.own.nodes import read_nodes
from homogcl.data.own.rows import SETTINGS
from homogcl.data.own.tables import MemoryTable, arrow


@dataclass(frozen=True)
class OtherFeatures:
    """A file with a row of features for each node of a data set.

    Attributes:
        path: A matrix (`.npy`, `.npz`) with rows in the order of the nodes, or with their numbers
            as `ids`; or a table (CSV, TSV, Parquet) with a column of these numbers.
        settings: What `graph.toml` could say of a table: `id`, `kinds` and `missing`.
    """

    path: Path
    settings: Mapping[str, object] = field(default_factory=dict)

    def identity(self) -> dict[str, str]:
        """Return what tells these features from others: the file's hash, and how it is read."""
        read = {f"features_{key}": str(value) for key, value in sorted(self.settings.items())}
        return {"features_sha256": self.sha256(), **read}

    def sha256(self) -> str:
        """Return the hash of the file."""
        try:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read ({error.strerror})") from None

    def put_on(self, graph: Data, name: str, training_columns: tuple[Column, ...] = ()) -> None:
        """Give the graph these features in place of its own, and note where they come from.

        Args:
            graph: A data set as its source has it.
            name: What it is called.
            training_columns: How a table's columns became numbers in training; it holds here too.
        """
        files = validated_files({**self.settings, "edges": name, "features": self.path}, name)
        # The numbers of the nodes are their ids, by whatever name the file has them.
        numbers = MemoryTable(name, {files.id or "number": arrow().array(range(graph.x.size(0)))})
        nodes = read_nodes(files, numbers, None, training_columns)
        if len(nodes.ids) != graph.x.size(0):
            raise UserError(f"{name}: a data set keeps all of its nodes; set missing to fill")
        if nodes.x is None or not nodes.x.size(1):
            raise UserError(f"{self.path}: has no features")
        identity = self.identity()
        graph.x, graph.columns = compact(nodes.x), nodes.columns
        graph.feature_names = list(nodes.feature_names)
        graph.files = {self.path.name: identity["features_sha256"]}
        graph.sha256 = hashlib.sha256(f"{graph.sha256} {identity}".encode()).hexdigest()
        graph.report = "; ".join([f"features from {self.path.name}", *nodes.notes])


def other_features(data: str | Path, files: Mapping[str, object]) -> OtherFeatures | None:
    """Return the features that `files` name for the data set `data`; None if they name none.

    Refused is whatever else `files` say of a data set. They say nothing here of a graph of a
    user's own, whose features are among its files.
    """
    if not files or own_path(data) is not None:
        return None
    refused = [key for key in files if key not in SETTINGS]
    if refused:
        raise UserError(f"{data} is a data set; {', '.join(refused)} belongs to files of your own")
    path = files.get("features")
    if not isinstance(path, str | Path):
        raise UserError(
            f"{data} is a data set: other features for it are a file such as x.npy, x.npz, x.csv "
            "or x.parquet, given as features (--features)"
        )
    settings = {key: value for key, value in files.items() if key != "features"}
    return OtherFeatures(Path(path).expanduser(), settings)
