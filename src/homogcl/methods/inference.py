"""Embeddings and logits of a trained method, in evaluation mode and without gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Method
from homogcl.nn.encoders import in_blocks


def embeddings(method: Method, graph: Data, block: int = 65_536) -> Tensor:
    """Return the embeddings of the clean graph in evaluation mode, [N, d'], without gradient.

    Args:
        method: A trained method.
        graph: The graph to embed.
        block: Nodes per block: on larger graphs the encoders compute each layer block by block,
            with the same result and only two layers' outputs in memory.
    """
    if block < 1:
        raise UserError(f"block={block}: a block has at least one node")
    with evaluation(method):
        if int(graph.num_nodes or 0) <= block:
            return method.embed(graph)
        with in_blocks(method, block):
            return method.embed(graph)


def logits(method: Method, graph: Data) -> Tensor:
    """Return a supervised method's logits in evaluation mode, [N, C], without gradient."""
    with evaluation(method):
        return method.predict(graph)


def without_labels(graph: Data) -> Data:
    """Return the graph with only features, edges, weights, and their places on disk."""
    keys = ("x", "edge_index", "edge_weight", "crow", "pages")
    return Data(num_nodes=graph.num_nodes, **{key: graph[key] for key in keys if key in graph})


@contextmanager
def evaluation(method: Method) -> Iterator[None]:
    """Switch `method` to evaluation mode and gradients off inside the block."""
    training = method.training
    method.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        method.train(training)
