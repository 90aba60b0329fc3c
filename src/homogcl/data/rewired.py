"""Graphs some of whose edges are wrong, to see what a method makes of them."""

from __future__ import annotations

import numpy as np
import torch
from torch_geometric.data import Data

from homogcl.core.seeds import numpy_stream
from homogcl.data.edges import undirected
from homogcl.data.hashes import tensor_sha256


def rewired(graph: Data, share: float, seed: int) -> Data:
    """Return the graph with a share of its edges rewired: their targets are permuted.

    Nodes keep about their degrees. The stream "planted" of the seed draws the edges.
    """
    if not share:
        return graph
    if graph.get("edge_weight") is not None:
        raise ValueError("edges with weights cannot be rewired")
    rng = numpy_stream(seed, "planted")
    source, target = graph.edge_index.numpy()
    once = np.stack([source, target])[:, source < target]
    wrong = np.flatnonzero(rng.random(once.shape[1]) < share)
    once[1, wrong] = once[1, rng.permutation(wrong)]
    result = graph.clone()
    result.edge_index, _ = undirected(torch.from_numpy(once), int(graph.num_nodes or 0))
    result.sha256 = tensor_sha256(result)
    return result
