"""A part of a graph on disk that a page can show and score in memory."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.data.mapped import is_on_disk, release
from homogcl.views.subgraphs import induced, neighborhood, row_pointers

NEAR: Final = 5  # neighbors that come with each node that is drawn, so that edges stay
_BY_NODE: Final = ("y", *MASKS)
_OF_THE_WHOLE: Final = ("x", "edge_index", "edge_weight", "crow", "pages", "num_nodes", "ids")


def shown_part(graph: Data, most: int, seed: int) -> tuple[Data, npt.NDArray[np.int64]] | None:
    """Return at most `most` nodes of a graph on disk as a graph in memory, and their numbers.

    Nodes are drawn at random, each with up to five of its neighbors, and all edges among them are
    there. None is returned for a graph in memory and for one that has no more nodes.
    """
    nodes = int(graph.num_nodes or 0)
    if not is_on_disk(graph) or nodes <= most:
        return None
    rng = stream(seed, "page")
    seeds = torch.randperm(nodes, generator=rng)[: max(1, most // (1 + NEAR))]
    crow = row_pointers(graph)
    chosen = neighborhood(crow, graph.edge_index[1], seeds, (NEAR,), rng)[:most]
    part = induced(graph, chosen, crow)
    del part.edge_id
    for key, value in graph.to_dict().items():
        if key in _BY_NODE:
            part[key] = value[chosen]
        elif key not in _OF_THE_WHOLE:
            part[key] = value
    if "ids" in graph:
        part.ids = [graph.ids[node] for node in chosen.tolist()]
    release(graph)
    return part, chosen.numpy()


def part_note(shown: int, nodes: int, edges: int) -> str:
    """Return the sentence that says what a page of a part shows."""
    return (
        f"The graph has {nodes:,} nodes and {edges:,} edges, on disk; this page is about {shown:,} "
        f"nodes, drawn at random with up to {NEAR} neighbors each, and the edges among them. "
        "Facts, scores, advice and charts are those of this part."
    )
