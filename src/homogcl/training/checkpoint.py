"""Checkpoints from which training goes on to the same bits."""

from __future__ import annotations

import hashlib
import io
import re
import time
import warnings
from collections.abc import Iterator, Mapping
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

_READABLE = 32  # characters; hashes are longer
_NAME = re.compile(r"epoch-(\d+)-([0-9a-f]{16})\.pt")


@dataclass(frozen=True)
class State:
    """All that a step changes."""

    method: Method
    optimizer: torch.optim.Optimizer
    rng: torch.Generator
    ranks: list[float] = field(default_factory=list)  # of embeddings, where settling ends it


@dataclass(frozen=True)
class Checkpoints:
    """A folder of checkpoints: the newest two are kept, each named after its own content.

    Attributes:
        folder: Where they are.
        fingerprint: What the training depends on, by name, such as settings, data and versions; a
            checkpoint of others is refused.
        every: Epochs between two checkpoints.
        minutes: Time after which an epoch is followed by a checkpoint whatever its number.
    """

    folder: Path
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    every: int = 50
    minutes: float = 10.0
    _saved: list[float] = field(default_factory=lambda: [time.monotonic()], repr=False)

    def after_epoch(
        self, state: State | None, epoch: int, last: bool, signal: int | None = None
    ) -> None:
        """Save when it is time to: after the `last` epoch, or when a `signal` asks to end here.

        Without a state, as in all processes but the first, nothing is saved.
        """
        late = time.monotonic() - self._saved[-1] >= 60 * self.minutes
        if state and (last or late or signal or epoch % self.every == 0):
            self.save(state, epoch)
        if signal:
            raise Interrupted(signal, epoch)

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
            "ranks": list(state.ranks),
        }
        torch.save(content, buffer)
        data = buffer.getvalue()
        write_atomically(self.folder / f"epoch-{epoch:08d}-{_digest(data)}.pt", data)
        faults.maybe("checkpoint-saved")
        for old in self._found()[2:]:
            old.unlink(missing_ok=True)
        self._saved[:] = [time.monotonic()]

    def newest(self) -> bytes | None:
        """Return the newest intact checkpoint, or None without any.

        One that is damaged is named in a warning and removed; the one before it is as good, only
        older. One that was written for another training is refused, and so is one that was made by
        anything but `save`.
        """
        for path in self._found():
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
        """Bring `state` to what `newest` returned, and return its epoch; 0 where there was none."""
        if checkpoint is None:
            return 0
        with _named(self.folder):
            return _put_back(state, _content(checkpoint))

    def restore(self, state: State) -> int:
        """Bring `state` to the newest intact checkpoint and return its epoch; 0 without any."""
        return self.put_back(state, self.newest())

    def _check(self, path: Path, found: Mapping[str, str]) -> None:
        """Refuse a checkpoint that was written with another fingerprint, and say what differs."""
        names = [
            _difference(name, found.get(name), self.fingerprint.get(name))
            for name in sorted({*found, *self.fingerprint})
            if found.get(name) != self.fingerprint.get(name)
        ]
        if names:
            raise UserError(
                f"{path} was written with other {', '.join(names)}; choose another folder or "
                "remove it"
            )

    def _found(self) -> list[Path]:
        names = [p for p in self.folder.glob("epoch-*.pt") if _NAME.fullmatch(p.name)]
        return sorted(names, key=lambda p: p.name, reverse=True)


class Intervals(TypedDict, total=False):
    """How often `Checkpoints` saves."""

    every: int
    minutes: float


def parse_intervals(text: str) -> Intervals:
    """Return epochs and minutes between checkpoints from how people write them.

    >>> parse_intervals("20"), parse_intervals("2.5m"), parse_intervals("20, 5m")
    ({'every': 20}, {'minutes': 2.5}, {'every': 20, 'minutes': 5.0})
    """
    found: Intervals = {}
    for part in text.split(","):
        number = part.strip()
        try:
            if number.endswith("m"):
                found["minutes"] = float(number[:-1])
            else:
                found["every"] = int(number)
        except ValueError:
            raise UserError(f"--save-every {text!r}: write it as 50, 10m or 50,10m") from None
    if not (found.get("every", 1) >= 1 and 0 < found.get("minutes", 1) < float("inf")):
        raise UserError(f"--save-every {text!r}: must be above 0")
    return found


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Refuse, by its path, what was made by anything but `save`."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        # What torch raises depends on what the file holds instead: anything may come.
        reason = str(error).partition("\n")[0][:100]
        raise UserError(
            f"{path} holds no checkpoint of this training ({reason}); remove it"
        ) from None


def _content(data: bytes) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(io.BytesIO(data), weights_only=True)
    return content


def _put_back(state: State, content: Mapping[str, Any]) -> int:
    epoch = int(content["epoch"])
    state.method.load_state_dict(content["method"])
    state.optimizer.load_state_dict(content["optimizer"])
    state.rng.set_state(content["rng"])
    torch.set_rng_state(content["torch_rng"])
    state.ranks[:] = content.get("ranks", [])
    return epoch


def _difference(name: str, found: str | None, wanted: str | None) -> str:
    """Return what differs: both values where they are words to read, else the name alone."""
    if found and wanted and max(len(found), len(wanted)) <= _READABLE:
        return f"{name} ({found}, now {wanted})"
    return name


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
