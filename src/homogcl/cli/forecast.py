"""What is said of a training that takes long, or that needs more memory than there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homogcl.runs.run import Run
    from homogcl.training.loop import Epoch

LONG = 60.0  # seconds of training from which on the time left is worth a line
FIRST_EPOCHS = 3  # that are timed; fewer if they take long
FIRST_SECONDS = 10.0


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
