"""An index of embeddings, which finds near nodes among millions without looking at all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from homogcl.core.errors import UserError, first_line
from homogcl.core.extras import optional
from homogcl.core.files import open_atomically

LINKS: Final = 16  # per node of the index; twice as many in its lowest layer
CARE: Final = 64  # candidates per node while the index is made
EFFORT: Final = 128  # candidates per node while neighbors are looked for, at least
COMPARED: Final = 4  # candidates compared exactly, per neighbor asked for
_SHARE: Final = 4  # one of so many candidates is compared exactly
_ROWS: Final = 65_536
_SAMPLE: Final = 262_144  # rows that set the range of each number
_MARKED: Final = 1024  # rows that a fingerprint is made of


@dataclass(frozen=True)
class NeighborIndex:
    """A navigable graph of small worlds (HNSW) over rows of length 1, with 8 bits for a number.

    What it finds is compared again by the embeddings themselves, so that cosines are exact.
    """

    index: Any  # of faiss
    effort: int = EFFORT  # candidates that are held while nodes are looked for

    @classmethod
    def of(cls, z: Tensor) -> NeighborIndex:
        """Return the index of an embedding [N, d], of which one block is in memory at a time."""
        faiss = _faiss()
        # Of rows of length 1 the nearest by distance are those of the largest cosine; products
        # would suffer from the lengths that rounding to 8 bits changes.
        index = faiss.IndexHNSWSQ(z.size(1), faiss.ScalarQuantizer.QT_8bit, LINKS)
        index.hnsw.efConstruction = CARE
        step = max(1, len(z) // _SAMPLE)
        index.train(normalize(z[::step]).numpy())
        for start in range(0, len(z), _ROWS):
            index.add(normalize(z[start : start + _ROWS]).numpy())
        return cls(index)

    def neighbors(self, z: Tensor, nodes: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """Return numbers and cosines, [n, k], of nodes near to some, nearest first.

        Args:
            z: The embedding that the index was made of, [N, d].
            nodes: Numbers of the nodes that ask, [n].
            k: How many; fewer where there are fewer other nodes.
        """
        k = min(k, len(z) - 1)
        queries = normalize(z[nodes])
        many = min(len(z), max(COMPARED * k + 1, self.effort // _SHARE))
        self.index.hnsw.efSearch = max(self.effort, 2 * many)
        _, places = self.index.search(queries.numpy(), many)
        candidates = torch.from_numpy(places)
        rows = normalize(z[candidates.clamp(min=0)], dim=2)
        cosines = (rows @ queries[:, :, None])[:, :, 0]
        # Where fewer were found, -1 stands for none; a node is not near to itself.
        none = (candidates < 0) | (candidates == nodes[:, None])
        best = cosines.masked_fill(none, -torch.inf).topk(k, dim=1)
        return candidates.gather(1, best.indices), best.values

    def save(self, path: Path) -> Path:
        """Write the index, whole or not at all, and return its path."""
        faiss = _faiss()
        self.index.hnsw.efSearch = self.effort
        with open_atomically(path) as file:
            faiss.write_index(self.index, faiss.PyCallbackIOWriter(file.write))
        return path

    @classmethod
    def load(cls, path: Path) -> NeighborIndex:
        """Return the index that `save` wrote."""
        try:
            index = _faiss().read_index(str(path))
        except RuntimeError as error:
            raise UserError(f"{path}: holds no index: {first_line(error)}; make it anew") from None
        return cls(index, max(EFFORT, index.hnsw.efSearch))


def recall(exact: Tensor, approximate: Tensor) -> float:
    """Return the share of the exact neighbors [n, k] that are among others [n, k], by row."""
    hits = (exact[:, :, None] == approximate[:, None, :]).any(dim=2)
    return float(hits.double().mean())


def fingerprint(z: Tensor) -> str:
    """Return a hash of an embedding's shape and of rows spread over it."""
    step = max(1, len(z) // _MARKED)
    digest = hashlib.sha256(str(tuple(z.shape)).encode())
    digest.update(np.ascontiguousarray(z[::step].numpy()).data)
    return digest.hexdigest()


def _faiss() -> Any:
    return optional("faiss", "an index needs faiss: pip install 'homogcl[index]'")
