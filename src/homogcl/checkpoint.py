"""Checkpoints from which training goes on to the same bits."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

import torch

from homogcl.errors import UserError
from homogcl.files import write_atomically
from homogcl.methods.base import Method

_NAME = re.compile(r"epoch-(\d+)-([0-9a-f]{16})\.pt")


@dataclass(frozen=True)
class State:
    """All that a step changes."""

    method: Method
    optimizer: torch.optim.Optimizer
    rng: torch.Generator


@dataclass(frozen=True)
class Checkpoints:
    """A folder of checkpoints: the newest two are kept, each named after its own content.

    Attributes:
        folder: Where they are.
        fingerprint: Of the settings and the data; a checkpoint of others is refused.
        every: Epochs between two checkpoints.
    """

    folder: Path
    fingerprint: str
    every: int = 50

    def after_epoch(self, state: State, epoch: int, *, last: bool) -> None:
        """Save when it is time to."""
        if last or epoch % self.every == 0:
            self.save(state, epoch)

    def save(self, state: State, epoch: int) -> None:
        """Write a checkpoint whole or not at all, and remove all but the newest two."""
        buffer = io.BytesIO()
        content = {
            "epoch": epoch,
            "fingerprint": self.fingerprint,
            "method": state.method.state_dict(),
            "optimizer": state.optimizer.state_dict(),
            "rng": state.rng.get_state(),
            "torch_rng": torch.get_rng_state(),
        }
        torch.save(content, buffer)
        data = buffer.getvalue()
        write_atomically(self.folder / f"epoch-{epoch:08d}-{_digest(data)}.pt", data)
        for old in self._found()[2:]:
            old.unlink(missing_ok=True)

    def restore(self, state: State) -> int:
        """Bring `state` to the newest intact checkpoint and return its epoch; 0 without any."""
        for path in self._found():
            data = path.read_bytes()
            if _digest(data) != path.stem[-16:]:
                path.unlink()  # damaged: the one before it is as good, only older
                continue
            content = torch.load(io.BytesIO(data), weights_only=True)
            if content["fingerprint"] != self.fingerprint:
                raise UserError(
                    f"{path} is of other settings or data; choose another folder or remove it"
                )
            state.method.load_state_dict(content["method"])
            state.optimizer.load_state_dict(content["optimizer"])
            state.rng.set_state(content["rng"])
            torch.set_rng_state(content["torch_rng"])
            return int(content["epoch"])
        return 0

    def _found(self) -> list[Path]:
        names = [p for p in self.folder.glob("epoch-*.pt") if _NAME.fullmatch(p.name)]
        return sorted(names, key=lambda p: p.name, reverse=True)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
