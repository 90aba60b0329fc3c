"""What to run, and the settings by which a run and its record are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.data.load import graph_name, lacks_features, load, own_path
from homogcl.evaluate import ProbeConfig
from homogcl.methods.registry import configure
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET, preset_by_size
from homogcl.runs.record import current_versions, settings_sha256
from homogcl.runs.tasks import DEFAULT_TASKS


@dataclass(frozen=True)
class Request:
    """What to run: a method on a data set with a seed, and settings that differ from the preset.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        data: A data set's name, or the path of a user's own graph.
        seed: Root seed of every random stream.
        overrides: Settings that prevail over the preset's.
        preset: An alternative preset, such as `official`.
        milestones: Epochs after which the cheap tasks are scored, besides the last one.
        tasks: What the embeddings are scored on, of `TASKS`.
        root: Folder of all data sets; by default as `homogcl.load` has it.
        files: What `graph.toml` could say of the files at a path.
    """

    method: str
    data: str
    seed: Annotated[int, Field(ge=0)] = 0
    overrides: Mapping[str, object] = field(default_factory=dict)
    preset: str | None = None
    milestones: tuple[int, ...] = ()
    tasks: tuple[str, ...] = DEFAULT_TASKS
    root: Path | None = None
    files: Mapping[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the graph is called: the data set's name, or what its path ends in."""
        return graph_name(self.data)

    def settings(self) -> Settings:
        """Return the resolved settings, features as they can be had here."""
        overrides = self.overrides
        if lacks_features(self.data, self.root):
            # So that a record says what was learned from.
            overrides = {**overrides, "features": "structural"}
        return resolve(self.method, self._known, overrides, self.preset)

    def for_size(self, nodes: int) -> Request:
        """Return the same under the preset for a graph of `nodes` nodes, unless one was chosen."""
        if self.preset is not None:
            return self
        return replace(self, preset=preset_by_size(self.method, self._known, nodes))

    @property
    def _known(self) -> str:
        """The name that presets go by; they know no graph of a user's own."""
        return self.name if own_path(self.data) is None else NO_DATA_SET

    def graph(self) -> Data:
        """Return the graph, prepared as the settings say and split by the seed."""
        wanted = self.settings().data
        return load(
            self.data,
            self.root,
            features=wanted.features,
            split=wanted.split,
            seed=self.seed,
            files=self.files,
        )


def recorded_settings(spec: Request) -> dict[str, JsonValue]:
    """Return the settings that are not the defaults: a record is found by them.

    A method that gains a setting keeps its records, since they were made with its default.
    """
    return _dumped(spec, all_of_them=False)


def resolved_settings(spec: Request) -> dict[str, JsonValue]:
    """Return all settings of a run."""
    return _dumped(spec, all_of_them=True)


def fingerprint(spec: Request, graph: Data) -> dict[str, str]:
    """Return all that a checkpoint depends on, by name."""
    return {
        "method": spec.method,
        "data": graph.sha256,
        "seed": str(spec.seed),
        "settings": settings_sha256(resolved_settings(spec)),
        **current_versions(),
    }


def _dumped(spec: Request, *, all_of_them: bool) -> dict[str, JsonValue]:
    settings = spec.settings()
    parts: dict[str, list[Config]] = {
        "method": configure(spec.method, settings.method),
        "train": [settings.train],
        "data": [settings.data],
        "probe": [ProbeConfig()],
    }
    dumped: dict[str, JsonValue] = {}
    for part, configs in parts.items():
        values: dict[str, JsonValue] = {}
        for config in configs:
            values |= config.model_dump(mode="json", exclude_defaults=not all_of_them)
        dumped[part] = values
    return dumped
