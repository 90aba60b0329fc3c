"""What is said before a training that takes long or more memory than there is."""

from __future__ import annotations

from torch_geometric.data import Data

from homogcl.advice.estimate import doubt, estimate
from homogcl.core.errors import UserError
from homogcl.core.memory import available_bytes
from homogcl.pages import terminal
from homogcl.runs.request import Request

LONG = 60.0  # seconds from which on it is worth a line
SHORT = 50_000  # nodes times epochs: below, the training is over before it could be foretold


def foretell(spec: Request, graph: Data) -> None:
    """Say what a long training will take; refuse one that needs twice the memory there is."""
    settings = spec.settings()
    if int(graph.num_nodes or 0) * settings.train.epochs < SHORT:
        return
    expected = estimate(spec.method, settings, graph, spec.seed)
    if expected is None:
        return
    free = available_bytes()
    problem = doubt(expected.bytes, free)
    if problem and free is not None and expected.bytes > 2 * free:
        raise UserError(problem)
    if problem:
        terminal.note(f"warning: {problem}")
    if expected.seconds >= LONG:
        terminal.note(f"training takes {expected}")
