"""Records that only the former probe scored: counted, and trained and scored again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.pages.table import Table
from homogcl.runs.record import FORMER, Record, read_records, record_path
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining

COLUMNS = ("Folder", "Data set", "Records", "Minutes of training", "Below the limit")
_METRIC = "test_accuracy"
MANNER = {"share_products": None}  # settings of how a step is computed, with their defaults


@dataclass(frozen=True)
class Selection:
    """Which records to score again.

    Attributes:
        folders: Folders below that of the results.
        data: Data sets; all of them if none is named.
        methods: Methods; all of them if none is named.
        seconds: Settings whose trainings took longer in the mean stay as they are.
        seeds: How many seeds of a setting, from 0 on. A mean over seeds counts those of the present
            probe alone as soon as there is one.
    """

    folders: Sequence[str]
    data: Sequence[str] = ()
    methods: Sequence[str] = ()
    seconds: float = 60.0
    seeds: int | None = None

    def former(self, results: Path) -> list[tuple[str, Record]]:
        """Return the records that only the former probe scored, with their folders.

        Folders, data sets and methods are in the order in which they are named, and seeds of one
        setting follow each other.
        """
        records = [
            (folder, record)
            for folder in self.folders
            for record in read_records(results / folder)
            if _by_former_probe(record)
            and (self.seeds is None or record.seed < self.seeds)
            and record.data in (self.data or [record.data])
            and record.method in (self.methods or [record.method])
        ]
        return sorted(records, key=self._place)

    def _place(self, entry: tuple[str, Record]) -> tuple[int, ...]:
        """Return where a record comes in the order; Python's sort keeps the order of equals."""
        folder, record = entry
        return (
            self.folders.index(folder),
            self.methods.index(record.method) if self.methods else 0,
            self.data.index(record.data) if self.data else 0,
        )


def former_table(selection: Selection, results: Path) -> Table:
    """Return how many records only the former probe scored, by folder and data set."""
    former = selection.former(results)
    cheap = _cheap(former, selection.seconds)
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    again: Counter[tuple[str, str]] = Counter()
    for folder, record in former:
        seconds[folder, record.data].append(record.seconds)
        again[folder, record.data] += _setting(folder, record) in cheap
    rows = tuple(
        (*place, str(len(taken)), sum(taken) / 60, str(again[place]))
        for place, taken in seconds.items()
    )
    return Table(COLUMNS, rows, decimals=0)


def trainings_again(selection: Selection, results: Path) -> list[GraphTraining]:
    """Return the trainings of the records that only the former probe scored and that are cheap.

    A training replaces its record once it has ended, with all that the record had. Records whose
    settings the method no longer has are left alone, as are those of other kinds of training.
    """
    for folder in selection.folders:
        _check_holds_records(results / folder)
    former = selection.former(results)
    cheap = _cheap(former, selection.seconds)
    trainings = [
        (GraphTraining(_request(record), folder), record)
        for folder, record in former
        if _setting(folder, record) in cheap
    ]
    return [training for training, record in trainings if _makes(training, record, results)]


def _check_holds_records(folder: Path) -> None:
    """Refuse a folder of folders of records, beside which new records would lie."""
    own = {path.parents[2] for path in folder.rglob("*.json")}  # FOLDER/DATA/METHOD/RECORD
    if others := sorted(each.name for each in own - {folder}):
        raise UserError(f"{folder} holds folders of records: name one, such as {others[0]}")


def _setting(folder: str, record: Record) -> tuple[str, ...]:
    """Return what the seeds of one setting have in common."""
    return folder, record.data, record.method, record.settings_sha256


def _cheap(former: Iterable[tuple[str, Record]], seconds: float) -> set[tuple[str, ...]]:
    """Return the settings whose trainings took `seconds` at most in the mean."""
    taken: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for folder, record in former:
        taken[_setting(folder, record)].append(record.seconds)
    return {setting for setting, times in taken.items() if fmean(times) <= seconds}


def _by_former_probe(record: Record) -> bool:
    return _METRIC not in record.metrics and FORMER[_METRIC] in record.metrics


def _request(record: Record) -> Request:
    """Return the request with every setting of a record, whatever its preset says by now.

    A setting of how a step is computed has its present default where it had its former one.
    """
    resolved, recorded = (_flat(each) for each in (record.resolved, record.settings))
    manner = {key: value for key, value in MANNER.items() if key not in recorded}
    return Request(record.method, record.data, record.seed, {**resolved, **manner})


def _flat(settings: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the settings of method, training and data by name."""
    parts = (settings.get(part) for part in ("method", "train", "data"))
    return {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}


def _makes(training: GraphTraining, record: Record, results: Path) -> bool:
    """Return whether the training's record would take the place of `record`."""
    try:
        return training.path(results) == record_path(results / training.folder, record)
    except UserError:
        return False
