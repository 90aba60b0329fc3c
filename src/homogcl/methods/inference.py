"""Embeddings and logits of a trained method, in evaluation mode and without gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.shared_rows import SharedRows
from homogcl.methods.base import Method
from homogcl.methods.forms import LAST, form_of
from homogcl.nn.encoders import in_blocks
from homogcl.nn.layers import dense
from homogcl.nn.operators import normalized
from homogcl.nn.unit_rows import of_length

# What the blocks of a form are: tensors [N, d''] of a method and a graph.
_BLOCKS: Final[dict[str, Callable[[Method, Data], list[Tensor]]]] = {
    "last": lambda method, graph: [method.embed(graph)],
    "layers": lambda method, graph: method.layer_outputs(graph),
    "x": lambda _, graph: [dense(graph.x)],
    "ax": lambda _, graph: [_averaged(graph)],
}


def embeddings(method: Method, graph: Data, form: str = LAST, block: int = 65_536) -> Tensor:
    """Return the embeddings of the clean graph in evaluation mode, [N, d'], without gradient.

    Args:
        method: A trained method.
        graph: The graph to embed.
        form: What the embeddings consist of, one of `methods.forms.FORMS`.
        block: Nodes per block: on larger graphs the encoders compute each layer block by block,
            with the same result and, in the form `last`, only two layers' outputs in memory.
    """
    if block < 1:
        raise UserError(f"block={block}: a block has at least one node")
    names, unit = form_of(form)
    at_once = int(graph.num_nodes or 0) <= block and not isinstance(graph.x, SharedRows)
    with evaluation(method), nullcontext() if at_once else in_blocks(method, block):
        blocks = [z for name in names for z in _BLOCKS[name](method, graph)]
    blocks = [of_length(z, 1.0) for z in blocks] if unit else blocks
    return torch.cat(blocks, dim=1) if len(blocks) > 1 else blocks[0]


def _averaged(graph: Data) -> Tensor:
    """Return Â X, [N, d]."""
    x = dense(graph.x)
    return normalized(graph)(x, x.new_zeros(1))


def logits(method: Method, graph: Data) -> Tensor:
    """Return a supervised method's logits in evaluation mode, [N, C], without gradient."""
    with evaluation(method):
        return method.predict(graph)


def without_labels(graph: Data) -> Data:
    """Return the graph with only features, edges, weights, and their places on disk."""
    keys = ("x", "edge_index", "edge_weight", "crow", "pages")
    return Data(num_nodes=graph.num_nodes, **{key: graph[key] for key in keys if key in graph})


def training_graph(method: Method, graph: Data) -> Data:
    """Return what the method learns from: the graph, with labels only if it takes them."""
    return graph if "Y" in method.training_data else without_labels(graph)


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
