"""The page that lists tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record
from reproduction.artifact import Artifact
from reproduction.index import INDEX, index_table, write_index
from tests.records import make_record


@dataclass(frozen=True)
class Timed:
    """A training whose record, if there is one, took so many seconds."""

    seconds: float | None
    label: str = "timed"

    def path(self, results: Path) -> Path:
        return results / "timed.json"

    def find_record(self, results: Path) -> Record | None:
        return None if self.seconds is None else make_record(seconds=self.seconds)

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        raise AssertionError


def artifact(name: str, *seconds: float | None) -> Artifact:
    trainings = [Timed(each) for each in seconds]
    return Artifact(name, f"Table of {name}", lambda quick: [*trainings], lambda *_: [])


def test_a_row_counts_trainings_with_records_and_adds_their_times() -> None:
    artifacts = [artifact("some", 60.0, None, 120.0), artifact("none", None), artifact("free")]
    files = {"some": [Path("out/some.md"), Path("out/some.csv")]}
    table = index_table(artifacts, files, Path("results"), quick=True)
    some, none, free = table.rows
    assert some[:3] == ("Table of some", "`python -m reproduction some --quick`", "2 of 3")
    assert some[3:] == ("3 minutes", "[some.md](some.md), [some.csv](some.csv)")
    assert none[2:] == ("0 of 1", None, None)
    assert free[2:] == ("none needed", None, None)


def test_the_page_has_the_table(tmp_path: Path) -> None:
    path = write_index([artifact("some", 60.0)], {}, tmp_path, tmp_path / "out", quick=False)
    assert path == tmp_path / "out" / INDEX
    assert "| Table of some | `python -m reproduction some` | 1 of 1 |" in path.read_text("utf-8")
