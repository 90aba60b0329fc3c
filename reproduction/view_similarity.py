"""The similarity of a graph's views under a method, for the curves of the paper's Figure 2."""

from __future__ import annotations

from typing import Any

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.tasks import Task, TaskInputs
from homogcl.methods.base import Method
from homogcl.methods.inference import evaluation, without_labels
from reproduction.pair_similarity import mean_similarities


def comparing_method(method: Method) -> Any:
    """Return the method that compares two views by cosines: GRACE, alone or under a plug-in."""
    base = getattr(method, "base", method)
    if not hasattr(base, "compared"):
        raise UserError(f"{method.name} does not compare nodes as GRACE does: no task similarity")
    return base


def view_similarities(method: Method, graph: Data, seed: int) -> dict[str, float]:
    """Return the mean cosine of positive and of negative pairs between two views.

    Args:
        method: GRACE, alone or under the plug-in.
        graph: The clean graph.
        seed: Root seed; the stream "similarity" draws the same views at every epoch, and other
            views than the training.
    """
    base = comparing_method(method)
    with evaluation(method):
        views = base.views(without_labels(graph), stream(seed, "similarity"))
        similarities = mean_similarities(*base.compared(views))
    return {
        "positive_similarity": similarities.positive,
        "negative_similarity": similarities.negative,
    }


def _score(inputs: TaskInputs) -> dict[str, float]:
    return view_similarities(inputs.model, inputs.graph, inputs.seed)


def _check(method: Method) -> None:
    comparing_method(method)


SIMILARITY = Task("similarity", "positive_similarity", _score, cheap=True, check=_check)
