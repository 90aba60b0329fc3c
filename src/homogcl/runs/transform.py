"""Embeddings in a pipeline of torch_geometric's transforms."""

from __future__ import annotations

from pathlib import Path

import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from homogcl.runs.embedder import Embedder


class AddEmbeddings(BaseTransform):  # type: ignore[misc]
    """Attaches the embeddings of a graph's nodes to the graph, as `z` [N, d'].

    Attributes:
        embedder: The fitted embedder that makes them.
        name: The attribute they are attached as.
    """

    def __init__(self, source: Embedder | str | Path, name: str = "z") -> None:
        """Take what embeds.

        Args:
            source: A fitted embedder, the file of a saved one, or a run folder.
            name: The attribute that the embeddings are attached as.
        """
        self.embedder = source if isinstance(source, Embedder) else Embedder.load(source)
        self.name = name

    def forward(self, data: Data) -> Data:
        """Return the graph with the embeddings; it is a copy, as with all transforms."""
        data[self.name] = torch.from_numpy(self.embedder.transform(data))
        return data

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.embedder!r}, name={self.name!r})"
