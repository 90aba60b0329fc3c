"""Run records: one JSON file per run, from which every table is made.

A record says what was run (method, data, seed, settings), on what (hashes, versions, commit,
machine), at what cost, and what came out. Files lie at
`<data>/<method>/<settings hash>-s<seed>.json` below the folder of results, so that a finished cell
of a grid is found by its name alone.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import (
    Field,
    FiniteFloat,
    JsonValue,
    StringConstraints,
    ValidationError,
    model_validator,
)

from homogcl.core.config import Config, first_problem
from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.runs.origin import UNKNOWN, Machine

# A name that is also the name of a folder: no separator, not hidden.
FolderName = Annotated[str, StringConstraints(pattern=r"^[^./\\][^/\\]*$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Epochs = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]*)$")]
Metrics = dict[str, FiniteFloat]

# What the former probe measured counts, marked, where no run was scored by the present one.
FORMER = {"test_accuracy": "adam_test_accuracy", "val_accuracy": "adam_val_accuracy"}
OF_FORMER = "†"
_NAME = re.compile(r"[0-9a-f]{10}-s\d+\.json")  # of a record's file, see `cell_path`


class Record(Config):
    """Everything that one run leaves behind, apart from weights and embeddings."""

    schema_version: Literal[1] = 1
    method: FolderName
    data: FolderName
    seed: int = Field(ge=0)
    settings: dict[str, JsonValue]  # those that are not the defaults; they identify a cell
    settings_sha256: Sha256
    resolved: dict[str, JsonValue] = Field(default_factory=dict)  # all of them
    data_sha256: Sha256
    split: str
    split_sha256: Sha256
    versions: dict[str, str]
    commit: str = UNKNOWN  # of the code
    machine: Machine
    precision: str = UNKNOWN  # of the training's arithmetic, such as float32
    seconds: float = Field(ge=0, allow_inf_nan=False)
    peak_memory_bytes: int = Field(ge=0)
    metrics: Metrics = Field(default_factory=dict)
    milestones: dict[Epochs, Metrics] = Field(default_factory=dict)  # by epochs trained
    terms: Metrics = Field(default_factory=dict)  # the objective's, at the last step
    status: Literal["ok", "failed"] = "ok"
    reason: str = ""  # of a failure

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.settings_sha256 != settings_sha256(self.settings):
            raise ValueError("settings_sha256 is not the hash of settings")
        if (self.status == "failed") != bool(self.reason):
            raise ValueError("a failed run, and only a failed run, has a reason")
        return self

    @property
    def epochs(self) -> int | None:
        """The epochs that the run was trained for, where its settings say."""
        if "epochs" in self.metrics:  # of a training that stopped early
            return int(self.metrics["epochs"])
        epochs = self.setting("epochs", "train")
        return epochs if isinstance(epochs, int) else None

    def setting(self, key: str, part: str = "method") -> JsonValue:
        """Return a setting of the run, or None if it has none of that name."""
        settings = self.resolved.get(part)
        return settings.get(key) if isinstance(settings, dict) else None

    def by_epochs(self) -> dict[int, Metrics]:
        """Return the metrics by number of epochs: at each milestone, and at the end."""
        metrics = {int(epochs): values for epochs, values in self.milestones.items()}
        return metrics if self.epochs is None else {**metrics, self.epochs: self.metrics}

    def at(self, epochs: int) -> Self:
        """Return the record of the training up to there, with the metrics that were scored."""
        metrics = {**self.by_epochs().get(epochs, {}), "epochs": float(epochs)}
        return self.model_copy(update={"metrics": metrics, "milestones": {}})


class Summary(NamedTuple):
    """A metric over several seeds; one seed has no standard deviation."""

    mean: float
    std: float | None
    n: int
    mark: str = ""  # signs that a table explains


def settings_sha256(settings: Mapping[str, JsonValue]) -> str:
    """Return the hash of resolved settings, whatever the order of their keys."""
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def split_sha256(*masks: npt.ArrayLike) -> str:
    """Return the hash of a split from its masks [N] in the order train, validation, test."""
    digest = hashlib.sha256()
    for mask in masks:
        bits = np.asarray(mask, dtype=np.bool_)
        digest.update(f"{bits.size}:".encode() + np.packbits(bits).tobytes())
    return digest.hexdigest()


def cell_path(
    root: Path, *, data: str, method: str, settings: Mapping[str, JsonValue], seed: int
) -> Path:
    """Return where the record of this run lies below `root`, whether it has run or not."""
    return root / data / method / f"{settings_sha256(settings)[:10]}-s{seed}.json"


def record_path(root: Path, record: Record) -> Path:
    """Return where `record` lies below `root`."""
    return cell_path(
        root,
        data=record.data,
        method=record.method,
        settings=record.settings,
        seed=record.seed,
    )


def write_record(root: Path, record: Record) -> Path:
    """Write `record` below `root`, whole or not at all, and return its path."""
    path = record_path(root, record)
    text = json.dumps(record.model_dump(mode="json"), indent=2, sort_keys=True, allow_nan=False)
    return write_atomically(path, f"{text}\n".encode())


def read_record(path: Path) -> Record:
    """Return the record in the file `path`, or refuse it in one line that says what is wrong."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read the record {path}: {error.strerror}") from error
    except ValidationError as error:
        raise UserError(f"{path} is not a run record: {first_problem(error)}") from error


def read_records(place: Path) -> list[Record]:
    """Return every record below `place`, ordered by data set, method, settings and seed.

    A folder is searched at any depth, for files that are named as records; a file is a record.
    """
    if not place.exists():
        raise UserError(f"no records at {place}; give the folder that `run` wrote to")
    below = (path for path in place.rglob("*.json") if _NAME.fullmatch(path.name))
    records = [read_record(path) for path in ([place] if place.is_file() else below)]
    return sorted(records, key=lambda r: (r.data, r.method, r.settings_sha256, r.seed))


def is_done(path: Path) -> bool:
    """Return whether the run whose record belongs at `path` has ended well."""
    return path.exists() and read_record(path).status == "ok"


def summarize(values: Sequence[float]) -> Summary:
    """Return mean and sample standard deviation of at least one value."""
    std = statistics.stdev(values) if len(values) > 1 else None
    return Summary(statistics.fmean(values), std, len(values))


def names_of(metric: str) -> tuple[str, ...]:
    """Return the names under which records may have `metric`, the preferred one first."""
    return (metric, FORMER[metric]) if metric in FORMER else (metric,)


def aggregate(records: Iterable[Record], metric: str) -> Summary:
    """Return mean, sample standard deviation and number of the runs that have `metric`.

    What the former probe measured is marked, and never mixed with what the present one did.

    Args:
        records: Runs of one method, data set and settings, one for each seed.
        metric: Which of their metrics.
    """
    ended = distinct_seeds(records)
    for name in names_of(metric):
        if values := [r.metrics[name] for r in ended if name in r.metrics]:
            return summarize(values)._replace(mark=OF_FORMER if name != metric else "")
    raise UserError(f"no record has the metric {metric!r}")


def distinct_seeds(records: Iterable[Record]) -> list[Record]:
    """Return the runs among `records` that ended well, or refuse a seed that counts twice."""
    ended = [record for record in records if record.status == "ok"]
    seeds = [record.seed for record in ended]
    twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
    if twice is not None:
        first = ended[0]
        raise UserError(f"{first.method} on {first.data}: two records have the seed {twice}")
    return ended
