"""The index of a run's embeddings: made once, and measured against exact search."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Final

import torch

from homogcl.core.errors import UserError
from homogcl.core.files import remove_lastingly, write_atomically
from homogcl.evaluate.neighbor_index import NeighborIndex, fingerprint, recall
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.runs.folder import RunFolder

ASKED: Final = 1000  # nodes whose neighbors are looked for both ways


@dataclass(frozen=True)
class IndexReport:
    """What an index is worth.

    Attributes:
        nodes: That are in it.
        k: Neighbors that were looked for.
        asked: Nodes whose neighbors were looked for.
        recall: Share of the exact neighbors that it finds.
        seconds: To make it.
        exact_over_index: Seconds of exact search over those of the index.
        bytes: Of its file.
    """

    nodes: int
    k: int
    asked: int
    recall: float
    seconds: float
    exact_over_index: float
    bytes: int


def make_index(folder: RunFolder, k: int, asked: int = ASKED) -> IndexReport:
    """Write the index of a run's embeddings into its folder, and return what it is worth.

    Args:
        folder: Of a finished run.
        k: Neighbors to look for.
        asked: Nodes to ask for, spread evenly over all.
    """
    z = torch.from_numpy(folder.embeddings())
    if len(z) < 2:
        raise UserError(f"{folder.path}: a single node has no neighbors")
    path, description = folder.index_files()
    remove_lastingly(description)  # an index without it does not count
    start = time.perf_counter()
    index = NeighborIndex.of(z)
    index.save(path)
    built = time.perf_counter()
    nodes = torch.arange(0, len(z), max(1, len(z) // asked))[:asked]
    approximate, _ = nearest_neighbors(z, k, nodes, index=index)
    answered = time.perf_counter()
    exact, _ = nearest_neighbors(z, k, nodes)
    end = time.perf_counter()
    report = IndexReport(
        nodes=len(z),
        k=exact.size(1),
        asked=len(nodes),
        recall=recall(exact, approximate),
        seconds=built - start,
        exact_over_index=(end - answered) / max(answered - built, 1e-9),
        bytes=path.stat().st_size,
    )
    content = {"of": fingerprint(z), "report": asdict(report)}
    write_atomically(description, (json.dumps(content, indent=2) + "\n").encode())
    return report


def index_of(folder: RunFolder) -> NeighborIndex | None:
    """Return the index of a run's present embeddings, None where there is none."""
    path, description = folder.index_files()
    if not description.exists() or not path.exists():
        return None
    try:
        of = json.loads(description.read_bytes())["of"]
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{description}: is damaged; make the index anew: homogcl index RUN"
        ) from None
    if of != fingerprint(torch.from_numpy(folder.embeddings())):
        return None
    return NeighborIndex.load(path)
