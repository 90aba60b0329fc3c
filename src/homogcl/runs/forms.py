"""The form of a run's embeddings: the one that was asked for, or the best on validation nodes."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.shared_rows import SharedRows
from homogcl.evaluate.tasks import PROBE
from homogcl.methods.base import Method
from homogcl.methods.forms import AUTO
from homogcl.methods.inference import embeddings
from homogcl.runs.scores import inputs_of, without_test_labels

# What `auto` chooses from; of equals the first is taken.
AUTO_FORMS: Final = (
    "last",
    "last/unit",
    "layers",
    "layers/unit",
    "layers+ax/unit",
    "last+x+ax/unit",
    "layers+x+ax/unit",
)


def check_form(form: str, method: Method, graph: Data) -> None:
    """Refuse `auto` without labels or a split, and what shares of the features cannot give."""
    if form == AUTO:
        without_test_labels(graph, "form=auto")
    if isinstance(graph.get("x"), SharedRows):
        _check_by_rows(form, method, graph.x)


def _check_by_rows(form: str, method: Method, x: SharedRows) -> None:
    """Try embeddings on two nodes; refuse those that read features other than by rows."""
    rows = torch.zeros(2, x.size(1), dtype=x.dtype)

    def take(nodes: Tensor) -> Tensor:
        return rows[nodes]

    few = SharedRows.of((2, x.size(1)), x.share, take, take)
    pair = Data(x=few, edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    try:
        embeddings(method, pair, form).sum()  # which reads what was handed on as it is
    except UserError:
        raise UserError(
            f"{method.name}, form={form}: shares of a graph give the features of some nodes at a "
            "time, and this needs all; take form=last of a method with an encoder, or whole copies"
        ) from None


def settled_form(form: str, method: Method, graph: Data, seed: int) -> str:
    """Return `form`, or for `auto` the candidate whose linear probe is best on validation nodes.

    Args:
        form: What was asked for.
        method: A trained method.
        graph: The graph that it embeds, of whose test nodes no label is read.
        seed: Root seed of what the probe draws.
    """
    if form != AUTO:
        return form
    part = without_test_labels(graph, "form=auto")

    def val_accuracy(candidate: str) -> float:
        inputs = inputs_of(embeddings(method, part, candidate), part, seed)
        return PROBE.score(inputs)["val_accuracy"]

    return max(AUTO_FORMS, key=val_accuracy)
