"""The log of a training: written epoch by epoch, read as curves."""

from __future__ import annotations

import json
import math
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.training.loop import Epoch

_FILE = "metrics.jsonl"
_NO_TERMS = {"epoch", "seconds"}  # what a line has beside losses


class Log:
    """The metrics of each epoch, a JSON object a line of `metrics.jsonl` in a run folder."""

    def __init__(self, folder: Path) -> None:
        """Begin the log of the run in `folder`; its file comes with the first epoch."""
        self._path = folder / _FILE
        self._begun = False

    def __call__(self, epoch: Epoch) -> None:
        """Append an epoch; what an interrupted run logged past its checkpoint is replaced."""
        if not self._begun:
            self._begun = True
            before = self._path.read_text("utf-8").splitlines() if self._path.exists() else []
            kept = "".join(f"{line}\n" for line in before[: epoch.number - 1])
            write_atomically(self._path, kept.encode())
        line = {"epoch": epoch.number, "loss": epoch.loss, **epoch.terms, "seconds": epoch.seconds}
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
    names = {name: None for epoch in epochs for name in epoch if name not in _NO_TERMS}
    return {name: [epoch.get(name, math.nan) for epoch in epochs] for name in names}
