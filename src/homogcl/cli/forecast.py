"""Warnings about a training: its time, its memory, and neighbors that would mislead it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homogcl.runs.run import Run
    from homogcl.training.loop import Epoch

LONG = 60.0  # seconds left that are worth a line
FIRST_EPOCHS = 3  # epochs that are timed; fewer once FIRST_SECONDS have passed
FIRST_SECONDS = 10.0
HOUR = 3600.0  # seconds; a longer training is announced, and begins after a yes
UNMISLED = ("homogcl", "raw", "mlp")  # methods that wrong neighbors do not mislead
NODE_SECONDS = 7e-4  # of a step at most, per node with its edges
PAIR_SECONDS = 1e-7  # of a step at most, per pair of nodes, where it compares all pairs
FEW_EPOCHS = 20  # epochs that take no longer than holding out edges


def check_memory(run: Run, say: Callable[[str], None]) -> None:
    """Warn of a training that may need more memory than is free; refuse one that needs twice it.

    Nothing is computed where the graph is too small for that.
    """
    from homogcl.advice.estimate import doubt, may_exceed, memory_needed
    from homogcl.core.errors import UserError
    from homogcl.core.memory import available_bytes

    free = available_bytes()
    if free is None or not may_exceed(run, free):
        return
    needed = memory_needed(run)
    if needed is None or not (problem := doubt(needed, free)):
        return
    if needed > 2 * free:
        raise UserError(problem)
    say(f"warning: {problem}")


def check_time(run: Run, say: Callable[[str], None], confirm: Callable[[str], bool] | None) -> None:
    """Announce a training of more than an hour, and refuse it where `confirm` says no.

    Nothing is computed for a training that takes minutes at most, nor for a graph on disk.
    """
    from homogcl.advice.estimate import duration, estimate
    from homogcl.core.errors import UserError
    from homogcl.data.mapped import is_on_disk

    if most_seconds(run) < HOUR or is_on_disk(run.graph):
        return
    try:
        expected = estimate(run.method, run.settings, run.graph, run.seed)
    except UserError:  # the pieces are too small for the settings, which the training may take
        return
    if expected is None or expected.seconds < HOUR:
        return
    say(f"training {run.title} takes about {duration(expected.seconds)} on this machine")
    if confirm is not None and not confirm("train it?"):
        raise UserError(
            "not trained: fewer --epochs take less time, and --set batch=parts less memory"
        )


def most_seconds(run: Run) -> float:
    """Return what a training takes at most, by its epochs, nodes and pairs of nodes alone."""
    train, nodes = run.settings.train, int(run.graph.num_nodes or 0)
    pairs = nodes**2 if train.batch == "full" else 0
    return float((train.epochs or 0) * (NODE_SECONDS * nodes + PAIR_SECONDS * pairs))


def neighbor_warning(run: Run) -> list[str]:
    """Return one line if neighbors seem not to belong together, as `inspect` says it, else none.

    Labels tell it at once. Without labels, edges of a graph in memory are held out, unless the
    training has so few epochs that this would take longer. The methods that the warning would
    recommend get none.
    """
    from homogcl.advice.inspect import neighbor_doubts
    from homogcl.advice.neighborhoods import likeness
    from homogcl.data.mapped import is_on_disk
    from homogcl.data.summary import summarize

    if run.method in UNMISLED or is_on_disk(run.graph):
        return []
    summary = summarize(run.graph)
    measured = None
    epochs = run.settings.train.epochs or 0
    if summary.homophily is None and epochs > FEW_EPOCHS:
        measured = likeness(run.graph, run.seed)
    return [f"warning: {doubt}" for doubt in neighbor_doubts(summary, measured)[:1]]


class TimeLeft:
    """Follows the first epochs of a training and says once how long the others will take."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Use `say` for the line; a training of less than a minute gets none."""
        self._say = say
        self._seconds: list[float] = []
        self._is_done = False

    def __call__(self, epoch: Epoch) -> None:
        """Time an epoch."""
        if self._is_done:
            return
        self._seconds.append(epoch.seconds)
        if len(self._seconds) < FIRST_EPOCHS and sum(self._seconds) < FIRST_SECONDS:
            return
        self._is_done = True
        left = seconds_left(self._seconds, epoch.total - epoch.number)
        if left >= LONG:
            from homogcl.advice.estimate import duration

            self._say(f"about {duration(left)} left")


def seconds_left(seconds: list[float], epochs: int) -> float:
    """Return how long further `epochs` take, by the seconds of the first ones.

    The very first epoch also warms up; where there are others, they alone count.
    """
    steady = seconds[1:] or seconds
    return epochs * sum(steady) / len(steady)
