"""The form of a run's embeddings: the one that was asked for, or the best on validation nodes."""

from __future__ import annotations

from typing import Final

from torch_geometric.data import Data

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


def check_form(form: str, graph: Data) -> None:
    """Refuse `auto` on a graph without labels or without a split."""
    if form == AUTO:
        without_test_labels(graph, "form=auto")


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
