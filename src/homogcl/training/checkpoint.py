"""Checkpoints: a training that resumes from one ends at the same bits."""

from __future__ import annotations

import hashlib
import io
import re
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import torch

from homogcl.core import faults
from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.signals import Interrupted
from homogcl.methods.base import Method

_READABLE = 32  # characters at most, which leaves out hashes
_NAME = re.compile(r"epoch-(\d+)-([0-9a-f]{16})\.pt")


@dataclass(frozen=True)
class State:
    """Everything that a training step changes."""

    method: Method
    optimizer: torch.optim.Optimizer
    rng: torch.Generator
    effective_ranks: list[float] = field(default_factory=list)  # measured if `settle` is set


@dataclass(frozen=True)
class Checkpoints:
    """A folder with the newest two checkpoints; each file name has a hash of the content."""

    folder: Path  # where they are
    # What the training depends on, by name; a checkpoint with another fingerprint is refused.
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    # Those of shorter trainings that this one goes on from.
    shorter: Sequence[Mapping[str, str]] = ()
    every: int = 50  # epochs between two checkpoints
    minutes: float = 10.0  # time after which the next epoch saves one, whatever its number
    _save_times: list[float] = field(default_factory=lambda: [time.monotonic()], repr=False)

    def after_epoch(
        self, state: State | None, epoch: int, last: bool, signal: int | None = None
    ) -> None:
        """Save if it is time, if the epoch is the `last`, or if a `signal` asks to stop here.

        Without a state, as in all processes but the first, save nothing.
        """
        late = time.monotonic() - self._save_times[-1] >= 60 * self.minutes
        if state and (last or late or signal or epoch % self.every == 0):
            self.save(state, epoch)
        if signal:
            message = f"stopped the training after epoch {epoch}; --resume goes on there"
            raise Interrupted(signal, message)

    def save(self, state: State, epoch: int) -> None:
        """Write a checkpoint whole or not at all, and remove all but the newest two."""
        buffer = io.BytesIO()
        content = {
            "epoch": epoch,
            "fingerprint": dict(self.fingerprint),
            "method": state.method.state_dict(),
            "optimizer": state.optimizer.state_dict(),
            "rng": state.rng.get_state(),
            "torch_rng": torch.get_rng_state(),
            "ranks": list(state.effective_ranks),
        }
        torch.save(content, buffer)
        data = buffer.getvalue()
        write_atomically(self.folder / f"epoch-{epoch:08d}-{_digest(data)}.pt", data)
        faults.maybe("checkpoint-saved")
        for old in self._paths()[2:]:
            old.unlink(missing_ok=True)
        self._save_times[:] = [time.monotonic()]

    def newest(self) -> bytes | None:
        """Return the newest intact checkpoint, or None if there is none.

        Damaged files are named in a warning and removed. A file that belongs to another training,
        or that `save` did not write, is refused.
        """
        for path in self._paths():
            data = _read(path)
            if _digest(data) != path.stem[-16:]:
                warnings.warn(f"{path} is damaged; the checkpoint before it is used", stacklevel=2)
                path.unlink()
                continue
            with _named(path):
                self._check(path, _content(data)["fingerprint"])
            return data
        return None

    def put_back(self, state: State, checkpoint: bytes | None) -> int:
        """Set `state` to what `newest` returned, and return its epoch; 0 for None."""
        if checkpoint is None:
            return 0
        with _named(self.folder):
            content = _content(checkpoint)
            epoch = int(content["epoch"])
            state.method.load_state_dict(content["method"])
            state.optimizer.load_state_dict(content["optimizer"])
            state.rng.set_state(content["rng"])
            torch.set_rng_state(content["torch_rng"])
            state.effective_ranks[:] = content.get("ranks", [])
            return epoch

    def _check(self, path: Path, fingerprint: Mapping[str, str]) -> None:
        """Refuse a checkpoint with another fingerprint, and name what differs."""
        if fingerprint in self.shorter:
            return
        differences = [
            _difference(name, fingerprint.get(name), self.fingerprint.get(name))
            for name in sorted({*fingerprint, *self.fingerprint})
            if fingerprint.get(name) != self.fingerprint.get(name)
        ]
        if differences:
            raise UserError(
                f"{path} was written with other {', '.join(differences)}; choose another folder or "
                "remove it"
            )

    def _paths(self) -> list[Path]:
        """Return the files of the checkpoints, the newest first."""
        paths = [p for p in self.folder.glob("epoch-*.pt") if _NAME.fullmatch(p.name)]
        return sorted(paths, key=lambda p: p.name, reverse=True)


class Intervals(TypedDict, total=False):
    """How often `Checkpoints` saves."""

    every: int
    minutes: float


def parse_intervals(text: str) -> Intervals:
    """Return the epochs and minutes between checkpoints that `text` asks for.

    >>> parse_intervals("20"), parse_intervals("2.5m"), parse_intervals("20, 5m")
    ({'every': 20}, {'minutes': 2.5}, {'every': 20, 'minutes': 5.0})
    """
    intervals: Intervals = {}
    for part in text.split(","):
        number = part.strip()
        try:
            if number.endswith("m"):
                intervals["minutes"] = float(number[:-1])
            else:
                intervals["every"] = int(number)
        except ValueError:
            raise UserError(f"--save-every {text!r}: write it as 50, 10m or 50,10m") from None
    if not (intervals.get("every", 1) >= 1 and 0 < intervals.get("minutes", 1) < float("inf")):
        raise UserError(f"--save-every {text!r}: must be above 0")
    return intervals


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Refuse, by its path, a file that `save` did not write."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        # torch may raise any error, depending on what the file holds.
        reason = str(error).partition("\n")[0][:100]
        raise UserError(
            f"{path} holds no checkpoint of this training ({reason}); remove it"
        ) from None


def _content(data: bytes) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(io.BytesIO(data), weights_only=True)
    return content


def _difference(name: str, before: str | None, now: str | None) -> str:
    """Return the name of what differs, with both values if they are short enough to read."""
    if before and now and max(len(before), len(now)) <= _READABLE:
        return f"{name} ({before}, now {now})"
    return name


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
