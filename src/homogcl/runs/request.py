"""What somebody asks to run, and how it is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field
from torch_geometric.data import Data

from homogcl.data.catalog import graph_name, lacks_features, own_path, published_nodes
from homogcl.data.load import load
from homogcl.data.other_features import other_features
from homogcl.data.recipe import Recipe
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import (
    NO_DATA_SET,
    file_settings,
    preset_by_size,
    preset_file,
)
from homogcl.runs.run import Run
from homogcl.runs.tasks import DEFAULT_TASKS


@dataclass(frozen=True)
class Request:
    """What to run: a method on a data set with a seed, and settings that differ from the preset.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        data: A data set's name, or the path of a user's own graph.
        seed: Root seed of every random stream.
        overrides: Settings that prevail over the preset's.
        preset: An alternative preset, such as `official`, or a file of presets of a user's own.
        milestones: Epochs after which the cheap tasks are scored, besides the last one.
        tasks: Names of the tasks that the embeddings are scored on.
        root: Folder of all data sets; by default as `homogcl.load` has it.
        files: What `graph.toml` could say of the files at a path, or other features of a data set.
        warm_start: Run folder whose weights the training begins with.
        recipe: What is to be done to the features, where a trained method is to take them.
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
    warm_start: Path | None = None
    recipe: Recipe | None = None

    @property
    def name(self) -> str:
        """What the graph is called: the data set's name, or what its path ends in."""
        other = other_features(self.data, self.files)
        return graph_name(self.data, other.path if other else None)

    def settings(self) -> Settings:
        """Return the settings as the preset's and the data set's names decide them."""
        return self._settings(self._preset_name)

    def resolve(self, *, by_size: bool = True) -> Run:
        """Return the run that is asked for, with everything decided.

        The graph is loaded when the run is first asked for it, or here if its size has to be
        known and no list says it.

        Args:
            by_size: Whether a graph that no preset names gets the preset for its size. A grid
                does without, so that a record is found by the name of its data alone.
        """
        settings = self.settings()

        @cache
        def graph() -> Data:
            return load(
                self.data,
                self.root,
                features=settings.data.features,
                split=settings.data.split,
                seed=self.seed,
                files=self.files,
                recipe=self.recipe,
            )

        def nodes() -> int:
            count = published_nodes(self.data)
            return int(graph().num_nodes or 0) if count is None else count

        if by_size and self._preset_name is None:
            preset = preset_by_size(self.method, self._preset_data, nodes)
            settings = settings if preset is None else self._settings(preset)
        return Run(
            method=self.method,
            settings=settings,
            seed=self.seed,
            load=graph,
            name=self.name,
            data=self.data,
            overrides=self._overrides,
            files=self.files,
            tasks=self.tasks,
            milestones=self.milestones,
            warm_start=self.warm_start,
        )

    def _settings(self, preset: str | None) -> Settings:
        overrides = self._overrides
        if other_features(self.data, self.files) is not None:
            # What a preset does to published features says nothing of others.
            overrides = {"features": "auto", **overrides}
        elif lacks_features(self.data, self.root):
            # So that a record says what was learned from.
            overrides = {**overrides, "features": "structural"}
        return resolve(self.method, self._preset_data, overrides, preset)

    @property
    def _preset_name(self) -> str | None:
        """The name of the preset; a file has none, and its settings prevail as those by name do."""
        return None if preset_file(self.preset) else self.preset

    @property
    def _overrides(self) -> Mapping[str, object]:
        """The settings that prevail over the preset's: a file's, then those given by name."""
        path = preset_file(self.preset)
        if path is None:
            return self.overrides
        return {**file_settings(path, graph_name(self.data)), **self.overrides}

    @property
    def _preset_data(self) -> str:
        """The name that presets go by; none of them names a graph of a user's own."""
        return graph_name(self.data) if own_path(self.data) is None else NO_DATA_SET
