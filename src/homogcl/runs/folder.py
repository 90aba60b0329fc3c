"""The folder of one training: config, model, embeddings, log and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import torch
from pydantic import TypeAdapter, ValidationError
from torch_geometric.data import Data

from homogcl.core.config import first_problem
from homogcl.core.errors import UserError, first_line
from homogcl.core.files import only_process_in, remove_lastingly, write_json
from homogcl.data.catalog import own_path, plain_name
from homogcl.data.names import original_ids
from homogcl.data.own.files import description
from homogcl.data.own.rows import read_rows
from homogcl.evaluate.arrays import first_not_finite
from homogcl.methods.base import Method
from homogcl.runs.export import write_array
from homogcl.runs.folder_config import LENGTHS, RunConfig, config_of, differing, epochs_in
from homogcl.runs.graph_input import graph_input
from homogcl.runs.log import read_curves
from homogcl.runs.model import TrainedModel
from homogcl.runs.request import Request
from homogcl.runs.run import Run

T = TypeVar("T")

_CONFIG, _MODEL, _EMBEDDINGS, _IDS = (
    "config.json",
    "model.safetensors",
    "embeddings.npy",
    "ids.json",
)


@dataclass(frozen=True)
class RunFolder:
    """The files of a run; none of them needs pickle to be read."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / "checkpoint"

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes out of the folder until the block is left or this process dies."""
        return only_process_in(self.path, (self.checkpoints,))

    def begin(self, run: Run, *, resume: bool, fixed_length: str | None = None) -> None:
        """Write the configuration; refuse a folder in use unless it is to be resumed as it was.

        The path of the graph is written whole, so that it is found from anywhere. A run may go on
        to more epochs, unless there is a reason for a `fixed_length`.
        """
        config = config_of(run)
        path = self.path / _CONFIG
        if not path.exists():
            write_json(path, config)
            return
        if not resume:
            raise UserError(f"{self.path} holds a run already; give --resume or another --out")
        before = self._json(_CONFIG)
        self._check_files(self._config().files_sha256, config.get("files_sha256", {}), run.data)
        lengths = self.shorter_lengths()
        # A graph that was moved is still the same graph.
        same: dict[str, Any] = {"data": "", "files": {}} if "files_sha256" in config else {}
        same[LENGTHS] = []
        names = differing({**before, **same}, {**config, **same})
        if names == ["epochs"] and epochs_in(before) < epochs_in(config):
            if fixed_length:
                raise UserError(
                    f"{path}: no epochs after {epochs_in(before)}, since {fixed_length}; begin "
                    f"another run with its weights: --warm-start {self.path} --out FOLDER"
                )
            lengths, names = [*lengths, epochs_in(before)], []
            config[LENGTHS] = lengths
            write_json(path, config)
        if names:
            raise UserError(
                f"{path} is of another run: it has other {', '.join(names)}; resume with what "
                "it began with"
            )

    def shorter_lengths(self) -> list[int]:
        """Return the numbers of epochs after which this run had ended and then went on."""
        return self._config().shorter_lengths

    def finish(self, run: Run, method: Method) -> None:
        """Write the trained model, the embeddings of its graph and the nodes' ids.

        Embeddings of a shorter training go first: they never stand beside another model.
        """
        graph, losses = run.graph, self.curves().get("loss", [])
        # An embedder knows no data set's preset: all settings make the same method again.
        model = TrainedModel.of(run, method, losses, run.settings.flat())
        z = model.embed(graph).cpu()
        remove_lastingly(self.path / _EMBEDDINGS, self.path / _IDS)
        model.save(self.path / _MODEL)
        write_array(self.path / _EMBEDDINGS, z)
        write_json(self.path / _IDS, original_ids(graph), indent=None)

    def request(
        self,
        root: Path | None = None,
        data: str | None = None,
        files: Mapping[str, object] | None = None,
    ) -> Request:
        """Return what was asked to run here.

        Args:
            root: Folder of all data sets.
            data: Another data set, or the path of another graph, or where the same one lies now.
            files: What `graph.toml` could say of its files; by default what was said of the
                run's own, where both are files of edges; or other features of a data set.
        """
        config = self._config()
        place = None if data is None else own_path(data)
        same = data is None or _is_same(data, config.data)
        if not files and (same or (place is not None and description(place) is None)):
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

    def run(self, request: Request, model: TrainedModel | None = None) -> Run:
        """Return `request` resolved, on its graph as the model that was trained here takes it.

        Refused are files of the run's own graph that are gone or have changed, and another graph
        that the model cannot embed.
        """
        config = self._config()
        place = own_path(request.data)
        # Who gives a data set other features than the run's wants these.
        same = _is_same(request.data, config.data) and (
            place is not None or request.files == config.files
        )
        if same and place is not None and not place.exists():
            raise UserError(f"{place} is gone; say with --data where it lies now")
        model = model or self.model()
        run = replace(request, recipe=model.graph.recipe_for_others).resolve(by_size=False)
        if same:
            self._check_files(config.files_sha256, run.graph.get("files") or {}, request.data)
        return run.on(model.takes(run.graph))

    def rows(self, path: Path, files: Mapping[str, object], model: TrainedModel) -> Data:
        """Return the nodes that a file lists without edges as the model takes them.

        Args:
            path: What `read_rows` takes.
            files: What is said of it; by default what was said of the ids of the run's own nodes
                and of what is missing.
            model: The model that was trained here.
        """
        own = self._config().files
        usual: dict[str, object] = {key: own[key] for key in own if key in ("id", "missing")}
        rows = read_rows(path, {**usual, **files}, model.graph.recipe_for_others)
        return model.takes(graph_input(rows, model.settings, model.seed, trained_on=model.graph))

    def embeddings(self) -> npt.NDArray[np.float32]:
        """Return the embeddings of the graph that the run was trained on, [N, d].

        They are mapped into memory; what is written to them does not reach the file.
        """
        path = self.path / _EMBEDDINGS
        try:
            z = np.load(path, mmap_mode="c", allow_pickle=False)
        except FileNotFoundError:
            raise self._unfinished(path.name) from None
        except (OSError, ValueError, EOFError) as error:
            raise UserError(f"{path} does not hold embeddings: {first_line(error)}") from None
        numbers = z.ndim == 2 and np.issubdtype(z.dtype, np.floating)
        if not numbers or first_not_finite(torch.from_numpy(z)) is not None:
            raise UserError(f"{path} does not hold a finite vector for each node")
        return np.asarray(z, dtype=np.float32)

    def vectors(
        self, root: Path | None, data: str | None, files: Mapping[str, object]
    ) -> tuple[list[str] | list[int], npt.NDArray[np.float32]]:
        """Return ids and embeddings, [N, d], of the run's graph, or of another one.

        The arguments are those of `request`; without `data` what the run has written is read.
        """
        if data is None:
            return self.ids(), self.embeddings()
        model, graph = self.model_and_graph(root, data, files)
        return original_ids(graph), model.embed(graph).cpu().numpy()

    def model_and_graph(
        self, root: Path | None, data: str | None, files: Mapping[str, object]
    ) -> tuple[TrainedModel, Data]:
        """Return the trained model, and the run's graph or another one as the model takes it.

        The arguments are those of `request`.
        """
        model = self.model()
        return model, self.run(self.request(root, data, files), model).graph

    def index_files(self) -> tuple[Path, Path]:
        """Return where an index of the embeddings lies, and what is said of it."""
        return self.path / "index.faiss", self.path / "index.json"

    def ids(self) -> list[str] | list[int]:
        """Return the ids of the nodes of that graph, in the order of `embeddings`."""
        kind = cast(Any, list[int] | list[str])
        ids: list[str] | list[int] = self._read_as(_IDS, kind)
        return ids

    def settings(self) -> dict[str, Any]:
        """Return the resolved settings of what was run here."""
        self._config()  # refuses a configuration that is damaged
        settings: dict[str, Any] = self._json(_CONFIG)["settings"]
        return settings

    def model(self) -> TrainedModel:
        """Return the trained model."""
        path = self.path / _MODEL
        if not path.exists():
            raise self._unfinished(path.name)
        return TrainedModel.load(path)

    def curves(self) -> dict[str, list[float]]:
        """Return the loss and each of its terms by epoch, nan where an epoch has none."""
        return read_curves(self.path)

    def _check_files(self, before: dict[str, str], now: dict[str, str], data: str) -> None:
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                raise UserError(
                    f"{data}: {name} is not what the run {self.path} was trained on; give "
                    "--data to use it as it is now, or train anew"
                )

    def _unfinished(self, name: str) -> UserError:
        return UserError(f"{self.path} is no finished run: {name} is missing")

    def _config(self) -> RunConfig:
        return self._read_as(_CONFIG, RunConfig)

    def _read_as(self, name: str, kind: type[T]) -> T:
        """Return the content of a JSON file as a value of `kind`."""
        try:
            return TypeAdapter(kind).validate_python(self._read(name))
        except ValidationError as error:
            raise UserError(f"{self.path / name} is not of a run: {first_problem(error)}") from None

    def _json(self, name: str) -> dict[str, Any]:
        return self._read_as(name, dict[str, Any])

    def _read(self, name: str) -> Any:
        path = self.path / name
        try:
            return json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise self._unfinished(name) from None
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path} is not valid JSON: {error}") from None


def _is_same(data: str, other: str) -> bool:
    """Return whether both name one graph; names of data sets may be written in several ways."""
    named = own_path(data) is None and own_path(other) is None
    return plain_name(data) == plain_name(other) if named else data == other
