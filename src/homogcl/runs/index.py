"""The index of a run's embeddings: made once, and measured against exact search."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from typing import Final

import torch

from homogcl.core.errors import UserError
from homogcl.core.files import remove_lastingly, write_json
from homogcl.evaluate.neighbor_index import NeighborIndex, fingerprint, recall
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.runs.folder import RunFolder

ASKED: Final = 1000  # nodes whose neighbors are looked for both ways
ENOUGH: Final = 0.95  # of the exact neighbors that an index is to find
MOST: Final = 4096  # candidates that are held at most in order to find them


@dataclass(frozen=True)
class IndexReport:
    """What an index is worth.

    Attributes:
        nodes: Nodes in the index.
        k: Neighbors looked for per node.
        asked: Nodes whose neighbors were looked for.
        recall: Share of the exact neighbors that the index finds.
        effort: Candidates per node while neighbors are looked for.
        seconds: Time to make the index.
        exact_over_index: Seconds of exact search over those of the index.
        bytes: Size of its file.
    """

    nodes: int
    k: int
    asked: int
    recall: float
    effort: int
    seconds: float
    exact_over_index: float
    bytes: int


def make_index(folder: RunFolder, k: int, asked: int = ASKED) -> IndexReport:
    """Write the index of a run's embeddings into its folder, and return what it is worth.

    The more nodes there are, the more candidates have to be held: they are doubled until enough of
    the exact neighbors are found.

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
    built = time.perf_counter()
    nodes = torch.arange(0, len(z), max(1, len(z) // asked))[:asked]
    exact, _ = nearest_neighbors(z, k, nodes)
    compared = time.perf_counter()
    while True:
        start_of_answer = time.perf_counter()
        approximate, _ = nearest_neighbors(z, k, nodes, index=index)
        answer = time.perf_counter() - start_of_answer
        share = recall(exact, approximate)
        if share >= ENOUGH or index.effort >= MOST:
            break
        index = replace(index, effort=2 * index.effort)
    index.save(path)
    report = IndexReport(
        nodes=len(z),
        k=exact.size(1),
        asked=len(nodes),
        recall=share,
        effort=index.effort,
        seconds=built - start,
        exact_over_index=(compared - built) / max(answer, 1e-9),
        bytes=path.stat().st_size,
    )
    content = {"of": fingerprint(z), "report": asdict(report)}
    write_json(description, content)
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
