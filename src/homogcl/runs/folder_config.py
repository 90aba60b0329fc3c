"""What `config.json` of a run folder says: which run it is, and how long it was before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from homogcl.core.errors import UserError
from homogcl.data.catalog import own_path
from homogcl.data.other_features import other_features
from homogcl.runs.run import Run

LENGTHS = "shorter_lengths"


@dataclass(frozen=True)
class _Settings:
    method: dict[str, Any]
    train: dict[str, Any]
    data: dict[str, Any]


@dataclass(frozen=True)
class RunConfig:
    """What the file holds, as far as it is read again."""

    method: str
    data: str
    seed: Annotated[int, Field(ge=0)]
    overrides: dict[str, Any]
    preset: str | None
    settings: _Settings
    files: dict[str, Any] = field(default_factory=dict)
    files_sha256: dict[str, str] = field(default_factory=dict)
    shorter_lengths: list[int] = field(default_factory=list)


def config_of(run: Run) -> dict[str, Any]:
    """Return what `config.json` holds of a run, as it reads back."""
    if not run.data:
        raise UserError(
            "a run folder names the data that it was trained on, and a graph in memory has no "
            "name: save the graph and request its path, or use Embedder"
        )
    own = own_path(run.data)
    config: dict[str, Any] = {
        "method": run.method,
        "data": run.data if own is None else str(own.resolve()),
        "seed": run.seed,
        "overrides": dict(run.overrides),
        "preset": run.settings.preset,
        "settings": run.resolved_settings,
    }
    files = dict(run.files)
    other = other_features(run.data, files)
    if other is not None:
        files["features"] = str(other.path.resolve())
    if own is not None or other is not None:
        config |= {"files": files, "files_sha256": run.graph.files}
        config["data_sha256"] = run.graph.sha256  # of the files and of which columns are what
    if run.warm_start is not None:
        config["warm_start"] = str(run.warm_start.resolve())
    parsed: dict[str, Any] = json.loads(json.dumps(config))
    return parsed


def epochs_in(config: Mapping[str, Any]) -> int:
    """Return how many epochs a configuration asks for."""
    return int(config["settings"]["train"]["epochs"])


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the keys, at any depth, whose values differ."""
    names: list[str] = []
    for key in sorted({*before, *now}):
        left, right = before.get(key), now.get(key)
        if isinstance(left, dict) and isinstance(right, dict):
            names += differing(left, right)
        elif left != right:
            names.append(key)
    return list(dict.fromkeys(names))
