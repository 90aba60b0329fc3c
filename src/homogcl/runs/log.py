"""The log of a training: written per epoch, read as curves, or followed in TensorBoard."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.extras import optional
from homogcl.core.files import write_atomically
from homogcl.training.loop import Epoch

OnEpoch = Callable[[Epoch], None]

_FILE = "metrics.jsonl"
_NOT_LOSSES = {"epoch", "seconds", "waiting"}  # the other keys of a line


class Log:
    """The metrics per epoch, one JSON object per line of `metrics.jsonl` in a run folder."""

    def __init__(self, folder: Path) -> None:
        """Begin the log of the run in `folder`; its file comes with the first epoch."""
        self._path = folder / _FILE
        self._begun = False

    def __call__(self, epoch: Epoch) -> None:
        """Append an epoch and drop later ones, which an interrupted run may have logged."""
        if not self._begun:
            self._begun = True
            before = self._path.read_text("utf-8").splitlines() if self._path.exists() else []
            earlier = "".join(f"{line}\n" for line in before[: epoch.number - 1])
            write_atomically(self._path, earlier.encode())
        line = {"epoch": epoch.number, "loss": epoch.loss, **epoch.terms, "seconds": epoch.seconds}
        line |= {} if epoch.waiting is None else {"waiting": epoch.waiting}
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise UserError(f"cannot write {self._path}: {error.strerror}") from error


def read_curves(folder: Path) -> dict[str, list[float]]:
    """Return the loss and each of its terms by epoch, nan where an epoch has none."""
    path = folder / _FILE
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    epochs: list[dict[str, float]] = []
    for number, line in enumerate(lines, 1):
        try:
            epochs.append(json.loads(line))
        except ValueError:
            raise UserError(f"{path}, line {number}, is not valid JSON") from None
    names = {name: None for epoch in epochs for name in epoch if name not in _NOT_LOSSES}
    return {name: [epoch.get(name, math.nan) for epoch in epochs] for name in names}


@contextmanager
def tensorboard(folder: Path) -> Iterator[OnEpoch]:
    """Yield a callback that logs loss, terms and time per epoch to TensorBoard."""
    problem = "--tensorboard needs it: pip install 'homogcl[tensorboard]'"
    writer = optional("torch.utils.tensorboard", problem).SummaryWriter(str(folder))

    def write(epoch: Epoch) -> None:
        values = {"loss": epoch.loss, "seconds": epoch.seconds}
        values |= {f"terms/{name}": value for name, value in epoch.terms.items()}
        for name, value in values.items():
            writer.add_scalar(name, value, epoch.number)

    try:
        yield write
    finally:
        writer.close()
