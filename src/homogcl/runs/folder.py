"""The folder of one training: config, weights, embeddings, log and checkpoints."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.files import only_process_in, write_atomically
from homogcl.data.load import original_ids, own_path
from homogcl.data.own.files import description
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET
from homogcl.runs.compatibility import Learned, for_method
from homogcl.runs.log import read_curves
from homogcl.runs.request import Request, resolved_settings
from homogcl.runs.train import Trained

T = TypeVar("T")


@dataclass(frozen=True)
class _Settings:
    method: dict[str, Any]
    train: dict[str, Any]
    data: dict[str, Any]


@dataclass(frozen=True)
class _Config:
    """What `begin` writes, as far as it is read again."""

    method: str
    data: str
    seed: Annotated[int, Field(ge=0)]
    overrides: dict[str, Any]
    preset: str | None
    settings: _Settings
    files: dict[str, Any] = field(default_factory=dict)
    files_sha256: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFolder:
    """Where a run keeps what; nothing in it needs pickle to be read."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / "checkpoint"

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes out of the folder until the block is left or this process dies."""
        return only_process_in(self.path, (self.checkpoints,))

    def begin(self, spec: Request, graph: Data, *, resume: bool) -> None:
        """Write the configuration; refuse a folder in use unless it is to be resumed as it was.

        Args:
            spec: What is run; a path is kept whole, so that the run is found from anywhere.
            graph: What it is trained on, whose files are known again by their hashes.
            resume: Whether the folder may hold the same run already.
        """
        own = own_path(spec.data)
        config: dict[str, Any] = {
            "method": spec.method,
            "data": spec.data if own is None else str(own.resolve()),
            "seed": spec.seed,
            "overrides": dict(spec.overrides),
            "preset": spec.preset,
            "settings": resolved_settings(spec),
        }
        if own is not None:
            config |= {"files": dict(spec.files), "files_sha256": graph.files}
            config["data_sha256"] = graph.sha256  # of the files and of which columns are what
        path = self.path / "config.json"
        config = json.loads(json.dumps(config))
        if not path.exists():
            write_atomically(path, (json.dumps(config, indent=2) + "\n").encode())
            return
        if not resume:
            raise UserError(f"{self.path} holds a run already; give --resume or another --out")
        before = self._json("config.json")
        self._check_files(self._config().files_sha256, config.get("files_sha256", {}), spec.data)
        # A graph that was moved is still the same graph.
        moved = {"data": "", "files": {}} if own is not None else {}
        if differing := _differing({**before, **moved}, {**config, **moved}):
            raise UserError(
                f"{path} is of another run: it has other {', '.join(differing)}; resume with what "
                "it began with"
            )

    def finish(self, trained: Trained) -> None:
        """Write weights, sizes, embeddings and the nodes' ids."""
        state = {key: value.contiguous() for key, value in trained.method.state_dict().items()}
        write_atomically(self.path / "model.safetensors", save(state))
        graph = trained.graph
        self._write("sizes.json", asdict(Sizes.of(graph)))
        self._write("graph.json", asdict(Learned.of(graph)))
        z = embeddings(trained.method, graph).cpu().numpy()
        write_atomically(self.path / "embeddings.npy", _npy(z))
        self._write("ids.json", original_ids(graph))

    def spec(
        self,
        root: Path | None = None,
        data: str | None = None,
        files: Mapping[str, object] | None = None,
    ) -> Request:
        """Return what was run here.

        Args:
            root: Folder of all data sets.
            data: Another data set, or the path of another graph, or where the same one lies now.
            files: What `graph.toml` could say of its files; by default what was said of the
                run's own, where both are files of edges.
        """
        config = self._config()
        place = own_path(config.data if data is None else data)
        if not files and place is not None and (data is None or description(place) is None):
            files = config.files
        return Request(
            config.method,
            config.data if data is None else data,
            config.seed,
            config.overrides,
            config.preset if data is None else None,
            root=root,
            files=files or {},
        )

    def graph(self, spec: Request) -> Data:
        """Return the graph of `spec` as the method that was trained here takes it.

        Where it is the run's own, files that are gone or have changed are an error that names
        them; where it is another one, the method must be able to embed it.
        """
        config = self._config()
        place = own_path(spec.data)
        same = spec.data == config.data
        if same and place is not None and not place.exists():
            raise UserError(f"{place} is gone; say with --data where it lies now")
        graph = spec.graph()
        if same:
            self._check_files(config.files_sha256, graph.get("files") or {}, spec.data)
        return for_method(graph, self.method(), self.learned())

    def embeddings(self) -> npt.NDArray[np.float32]:
        """Return the embeddings of the graph that the run was trained on, [N, d]."""
        path = self.path / "embeddings.npy"
        try:
            z = np.load(path, allow_pickle=False)
        except FileNotFoundError:
            raise UserError(f"{self.path} is no finished run: {path.name} is missing") from None
        except (OSError, ValueError, EOFError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{path} does not hold embeddings: {reason}") from None
        if z.ndim != 2 or not np.issubdtype(z.dtype, np.floating) or not np.isfinite(z).all():
            raise UserError(f"{path} does not hold a finite vector for each node")
        return np.asarray(z, dtype=np.float32)

    def ids(self) -> list[str] | list[int]:
        """Return the ids of the nodes of that graph, in the order of `embeddings`."""
        kind = cast(Any, list[int] | list[str])
        found: list[str] | list[int] = self._held("ids.json", kind)
        return found

    def learned(self) -> Learned:
        """Return what there is to know of that graph."""
        return self._held("graph.json", Learned)

    def resolved(self) -> Settings:
        """Return all settings that the run was trained with, whatever presets say by now."""
        config = self._config()
        parts = config.settings
        return resolve(config.method, NO_DATA_SET, {**parts.method, **parts.train, **parts.data})

    def settings(self) -> dict[str, Any]:
        """Return the resolved settings of what was run here."""
        self._config()  # says what is wrong with it, if anything is
        settings: dict[str, Any] = self._json("config.json")["settings"]
        return settings

    def sizes(self) -> Sizes:
        """Return the sizes of the graph that the run was trained on."""
        return self._held("sizes.json", Sizes)

    def method(self) -> Method:
        """Return the trained method."""
        config = self._config()
        path = self.path / "model.safetensors"
        try:
            method = build(config.method, config.settings.method, self.sizes(), config.seed)
            method.load_state_dict(load_file(path))
        except (OSError, SafetensorError, RuntimeError, ValueError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise UserError(f"{path} does not hold this run's weights: {reason}") from None
        return method.eval()

    def _check_files(self, before: dict[str, str], now: dict[str, str], data: str) -> None:
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                raise UserError(
                    f"{data}: {name} is not what the run {self.path} was trained on; give "
                    "--data to use it as it is now, or train anew"
                )

    def _write(self, name: str, value: object) -> None:
        write_atomically(self.path / name, (json.dumps(value) + "\n").encode())

    def curves(self) -> dict[str, list[float]]:
        """Return the loss and each of its terms by epoch, nan where an epoch has none."""
        return read_curves(self.path)

    def _config(self) -> _Config:
        return self._held("config.json", _Config)

    def _held(self, name: str, kind: type[T]) -> T:
        """Return the content of a JSON file as a value of `kind`."""
        try:
            return TypeAdapter(kind).validate_python(self._read(name))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "file"
            reason = f"{field}: {first['msg'].lower()}"
            raise UserError(f"{self.path / name} is not of a run: {reason}") from None

    def _json(self, name: str) -> dict[str, Any]:
        return self._held(name, dict[str, Any])

    def _read(self, name: str) -> Any:
        path = self.path / name
        try:
            return json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise UserError(f"{self.path} is no finished run: {name} is missing") from None
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path} is not valid JSON: {error}") from None


def _differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return the names, of whatever depth, under which two configurations hold other values."""
    names: list[str] = []
    for key in sorted({*found, *wanted}):
        left, right = found.get(key), wanted.get(key)
        if isinstance(left, dict) and isinstance(right, dict):
            names += _differing(left, right)
        elif left != right:
            names.append(key)
    return list(dict.fromkeys(names))


def _npy(array: npt.NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
