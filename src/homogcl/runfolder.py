"""The folder of one training: config, weights, embeddings, log and checkpoints."""

from __future__ import annotations

import io
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from homogcl.errors import UserError
from homogcl.files import write_atomically
from homogcl.methods import Method, Sizes, build
from homogcl.run import RunSpec, Trained, resolved_settings
from homogcl.train import Epoch, embeddings

_NO_TERMS = {"epoch", "seconds"}  # what a line of the log has beside losses


@dataclass(frozen=True)
class RunFolder:
    """Where a run keeps what; nothing in it needs pickle to be read."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / "checkpoint"

    def begin(self, spec: RunSpec, *, resume: bool) -> None:
        """Write the configuration; refuse a folder in use unless it is to be resumed as it was."""
        config = {
            "method": spec.method,
            "data": spec.data,
            "seed": spec.seed,
            "overrides": dict(spec.overrides),
            "preset": spec.preset,
            "settings": resolved_settings(spec),
        }
        path = self.path / "config.json"
        if not path.exists():
            write_atomically(path, (json.dumps(config, indent=2) + "\n").encode())
        elif not resume:
            raise UserError(f"{self.path} holds a run already; give --resume or another --out")
        elif self._json("config.json") != json.loads(json.dumps(config)):
            raise UserError(f"{path} is of another run; resume with the settings it began with")

    def finish(self, trained: Trained) -> None:
        """Write weights, sizes and embeddings."""
        state = {key: value.contiguous() for key, value in trained.method.state_dict().items()}
        write_atomically(self.path / "model.safetensors", save(state))
        sizes = asdict(Sizes.of(trained.graph))
        write_atomically(self.path / "sizes.json", (json.dumps(sizes) + "\n").encode())
        z = embeddings(trained.method, trained.graph).cpu().numpy()
        write_atomically(self.path / "embeddings.npy", _npy(z))

    def spec(self, root: Path | None = None) -> RunSpec:
        """Return what was run here."""
        config = self._json("config.json")
        return RunSpec(
            config["method"],
            config["data"],
            config["seed"],
            config["overrides"],
            config["preset"],
            root=root,
        )

    def settings(self) -> dict[str, Any]:
        """Return the resolved settings of what was run here."""
        settings: dict[str, Any] = self._json("config.json")["settings"]
        return settings

    def sizes(self) -> Sizes:
        """Return the sizes of the graph that the run was trained on."""
        return Sizes(**self._json("sizes.json"))

    def method(self) -> Method:
        """Return the trained method."""
        config = self._json("config.json")
        settings = config["settings"]["method"]
        method = build(config["method"], settings, self.sizes(), config["seed"])
        path = self.path / "model.safetensors"
        try:
            method.load_state_dict(load_file(path))
        except (OSError, SafetensorError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{path} does not hold this run's weights: {reason}") from None
        return method.eval()

    def embeddings(self) -> npt.NDArray[np.float32]:
        """Return the embeddings that the run ended with, [N, d]."""
        path = self.path / "embeddings.npy"
        try:
            z = np.load(path, allow_pickle=False)
        except FileNotFoundError:
            raise UserError(f"{self.path} is no finished run: {path.name} is missing") from None
        except (OSError, ValueError) as error:
            raise UserError(f"{path} does not hold embeddings: {error}") from None
        if z.ndim != 2 or not np.issubdtype(z.dtype, np.floating) or not np.isfinite(z).all():
            raise UserError(f"{path} does not hold a finite vector for each node")
        return np.asarray(z, dtype=np.float32)

    def curves(self) -> dict[str, list[float]]:
        """Return the loss and each of its terms by epoch, nan where an epoch has none."""
        path = self.path / "metrics.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        epochs: list[dict[str, float]] = []
        for number, line in enumerate(lines, 1):
            try:
                epochs.append(json.loads(line))
            except ValueError:
                raise UserError(f"{path}, line {number}, is not valid JSON") from None
        names = {name: None for epoch in epochs for name in epoch if name not in _NO_TERMS}
        return {name: [epoch.get(name, math.nan) for epoch in epochs] for name in names}

    def _json(self, name: str) -> dict[str, Any]:
        path = self.path / name
        try:
            content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise UserError(f"{self.path} is no finished run: {name} is missing") from None
        except ValueError as error:
            raise UserError(f"{path} is not valid JSON: {error}") from None
        return content


class Log:
    """The metrics of each epoch, a JSON object a line, in the file `metrics.jsonl` of a run."""

    def __init__(self, folder: RunFolder) -> None:
        """Begin a log; the file is first touched when there is something to write."""
        self._path = folder.path / "metrics.jsonl"
        self._begun = False

    def __call__(self, epoch: Epoch) -> None:
        """Append an epoch; what an interrupted run logged past its checkpoint is replaced."""
        if not self._begun:
            self._begun = True
            before = self._path.read_text("utf-8").splitlines() if self._path.exists() else []
            kept = "".join(f"{line}\n" for line in before[: epoch.number - 1])
            write_atomically(self._path, kept.encode())
        line = {"epoch": epoch.number, "loss": epoch.loss, **epoch.terms, "seconds": epoch.seconds}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _npy(array: npt.NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
