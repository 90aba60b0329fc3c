"""One run with everything decided: what trainings, folders, records and scores receive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.precision import arithmetic
from homogcl.data.other_features import other_features
from homogcl.evaluate.probe import ProbeConfig
from homogcl.methods.forms import EmbeddingConfig
from homogcl.methods.registry import configure
from homogcl.presets.resolve import Settings
from homogcl.runs.origin import current_versions
from homogcl.runs.record import cell_path, settings_sha256


@dataclass(frozen=True)
class Run:
    """A method, its settings, a graph and a seed, and where the record of the training belongs.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        settings: All settings, resolved.
        seed: Root seed of every random stream.
        load: Returns the graph, the same one each time.
        name: What the graph is called in records.
        data: The data set's name or the path that the graph is found by; nothing for a graph that
            is in memory only.
        overrides: Settings that were asked for by name.
        files: What `graph.toml` could say of the files at a path, or other features of a data set.
        tasks: Names of the tasks that the embeddings are scored on.
        milestones: Epochs after which the cheap tasks are scored, besides the last one.
        warm_start: Run folder whose weights the training begins with.
    """

    method: str
    settings: Settings
    seed: int
    load: Callable[[], Data] = field(repr=False, compare=False)
    name: str = "graph"
    data: str = ""
    overrides: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    milestones: tuple[int, ...] = ()
    warm_start: Path | None = None

    @classmethod
    def of(cls, method: str, settings: Settings, graph: Data, seed: int = 0) -> Run:
        """Return the run of a method on a graph in memory."""
        return cls(method, settings, seed, lambda: graph)

    @property
    def graph(self) -> Data:
        """The graph, prepared as the settings say and split by the seed."""
        return self.load()

    @property
    def title(self) -> str:
        """Method and data, as people say it."""
        return f"{self.method} on {self.name}"

    def on(self, graph: Data) -> Run:
        """Return the same run on another graph."""
        return replace(self, load=lambda: graph)

    def of_length(self, epochs: int) -> Run:
        """Return the same run with another number of epochs."""
        train = self.settings.train.model_copy(update={"epochs": epochs})
        return replace(self, settings=replace(self.settings, train=train))

    def in_form(self, form: str) -> Run:
        """Return the same run with embeddings of another form."""
        embedding = EmbeddingConfig(form=form)
        return replace(self, settings=replace(self.settings, embedding=embedding))

    @cached_property
    def recorded_settings(self) -> dict[str, JsonValue]:
        """The settings that are not the defaults: a record is found by them.

        A method that gains a setting keeps its records, since they were made with its default.
        """
        return self._settings_dict(include_defaults=False)

    @cached_property
    def resolved_settings(self) -> dict[str, JsonValue]:
        """All settings."""
        return self._settings_dict(include_defaults=True)

    def record_path(self, results: Path) -> Path:
        """Return where the record lies in the folder `results`, whether it is there or not."""
        return cell_path(
            results,
            data=self.name,
            method=self.method,
            settings=self.recorded_settings,
            seed=self.seed,
        )

    def fingerprint(self) -> dict[str, str]:
        """Return everything that a checkpoint depends on, by name."""
        return {
            "method": self.method,
            "data": self.graph.sha256,
            "seed": str(self.seed),
            "settings": settings_sha256(self.resolved_settings),
            "precision": arithmetic(self.settings.train.precision, self.graph.edge_index.device),
            **current_versions(),
        }

    @cached_property
    def _other_features(self) -> dict[str, str]:
        """What tells another file of features from others, read once: a training may outlast it."""
        other = other_features(self.data, self.files)
        return {} if other is None else other.identity()

    def _settings_dict(self, *, include_defaults: bool) -> dict[str, JsonValue]:
        parts: dict[str, list[Config]] = {
            "method": configure(self.method, self.settings.method),
            "train": [self.settings.train],
            "data": [self.settings.data, self.settings.embedding],
            "probe": [ProbeConfig()],
        }
        dumped: dict[str, JsonValue] = {}
        for part, configs in parts.items():
            values: dict[str, JsonValue] = {**(self._other_features if part == "data" else {})}
            for config in configs:
                values |= config.model_dump(mode="json", exclude_defaults=not include_defaults)
            dumped[part] = values
        return dumped
