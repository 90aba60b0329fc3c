"""Libraries that find near vectors without looking at all: what they cost for what they find.

The package uses faiss, which holds a number in 8 bits and so needs the least memory. The others are
measured where they are installed: `pip install usearch hnswlib`, then `python -m benchmarks index`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from homogcl.evaluate.neighbor_index import NeighborIndex, recall
from homogcl.evaluate.neighbors import nearest_neighbors

Row = tuple[str, float, str]  # what, its value, what it is held to
Floats = npt.NDArray[np.float32]
# Makes an index of rows of length 1, and returns what finds the nearest so many of some of them.
Library = Callable[[Floats], Callable[[Floats, int], npt.NDArray[Any]]]
NODES, WIDTH, K, ASKED = 20_000, 64, 10, 1000
LINKS, CARE, EFFORT = 16, 64, 128  # the same for all, as in `NeighborIndex`


def index() -> list[Row]:
    """Return processor seconds and recall of libraries with the same settings, on one thread."""
    torch.set_num_threads(1)
    z = clustered(NODES, WIDTH)
    asked = torch.arange(0, NODES, NODES // ASKED)
    start = time.process_time()
    exact, _ = nearest_neighbors(z, K, asked)
    rows: list[Row] = [("exact: seconds of 1,000 queries", time.process_time() - start, "")]
    for name, library in {"faiss": _faiss, **LIBRARIES}.items():
        if name != "faiss" and not _is_there(name):
            continue
        start = time.process_time()
        search = library(z.numpy())
        indexed = time.process_time()
        numbers = torch.from_numpy(search(z[asked].numpy(), K + 1).astype(np.int64))
        end = time.process_time()
        rows += [
            (f"{name}: seconds to make it", indexed - start, ""),
            (f"{name}: seconds of 1,000 queries", end - indexed, ""),
            (f"{name}: recall", recall(exact, numbers), "at least 0.95"),
        ]
    start = time.process_time()
    ours = NeighborIndex.of(z)
    indexed = time.process_time()
    numbers, _ = nearest_neighbors(z, K, asked, index=ours)
    end = time.process_time()
    return [
        *rows,
        ("ours (faiss, 8 bits, compared again): seconds to make it", indexed - start, ""),
        ("ours (faiss, 8 bits, compared again): seconds of 1,000 queries", end - indexed, ""),
        ("ours (faiss, 8 bits, compared again): recall", recall(exact, numbers), "at least 0.95"),
    ]


def clustered(nodes: int, width: int) -> torch.Tensor:
    """Return rows of length 1 around 200 centers, spread mostly in 24 directions."""
    rng = torch.Generator().manual_seed(0)
    centers = 0.7 * torch.randn(200, width, generator=rng)
    directions = 0.25 * torch.randn(24, width, generator=rng)
    z = centers[torch.randint(200, (nodes,), generator=rng)]
    z = z + torch.randn(nodes, 24, generator=rng) @ directions
    return torch.nn.functional.normalize(z + 0.1 * torch.randn(nodes, width, generator=rng))


def _is_there(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _faiss(z: Floats) -> Callable[[Floats, int], npt.NDArray[Any]]:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexHNSWFlat(z.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction, index.hnsw.efSearch = CARE, EFFORT
    index.add(z)
    return lambda queries, k: np.asarray(index.search(queries, k)[1])


def _usearch(z: Floats) -> Callable[[Floats, int], npt.NDArray[Any]]:
    library = importlib.import_module("usearch.index")
    index = library.Index(
        ndim=z.shape[1],
        metric="ip",
        connectivity=LINKS,
        expansion_add=CARE,
        expansion_search=EFFORT,
    )
    index.add(np.arange(len(z)), z, threads=1)
    return lambda queries, k: np.asarray(index.search(queries, k, threads=1).keys)


def _hnswlib(z: Floats) -> Callable[[Floats, int], npt.NDArray[Any]]:
    index = importlib.import_module("hnswlib").Index("ip", z.shape[1])
    index.init_index(len(z), ef_construction=CARE, M=LINKS)
    index.add_items(z, num_threads=1)
    index.set_ef(EFFORT)
    return lambda queries, k: np.asarray(index.knn_query(queries, k, num_threads=1)[0])


LIBRARIES: dict[str, Library] = {"usearch": _usearch, "hnswlib": _hnswlib}
