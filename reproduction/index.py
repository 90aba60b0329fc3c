"""The page that lists tables and figures with their commands, trainings and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from homogcl.advice.estimate import duration
from homogcl.core.files import write_atomically
from homogcl.pages.table import Cell, Table, to_markdown
from reproduction.artifact import Artifact, command

INDEX = "index.md"
_ABOUT = """
Each command makes the records that are missing, then the files. Times are those of the trainings
with records, added up, without what scores them; a training that two of them share counts in both.
Tables also take in further seeds that have records.
"""
Written = Mapping[str, Sequence[Path]]  # the files of each artifact, by its name


def write_index(
    artifacts: Sequence[Artifact], written: Written, results: Path, out: Path, *, quick: bool
) -> Path:
    """Write a page that lists the artifacts, and return its path.

    Args:
        artifacts: What to list.
        written: Their files in the folder `out`; failed artifacts have none.
        results: Folder of the records.
        out: Folder of the page.
        quick: Whether they have their quick form.
    """
    table = index_table(artifacts, written, results, quick=quick)
    text = f"# Tables and figures\n\n{to_markdown(table)}\n{_ABOUT}"
    return write_atomically(out / INDEX, text.encode())


def index_table(
    artifacts: Sequence[Artifact], written: Written, results: Path, *, quick: bool
) -> Table:
    """Return one row per artifact: its command, how many trainings have records, their time.

    A training of several artifacts counts in each of them.
    """
    columns = ("What", "Command", "Trainings", "Their time", "Files")
    rows: list[tuple[Cell, ...]] = []
    for artifact in artifacts:
        records = [training.find_record(results) for training in artifact.trainings(quick)]
        seconds = [record.seconds for record in records if record is not None]
        files = ", ".join(f"[{p.name}]({p.name})" for p in written.get(artifact.name, ()))
        rows.append(
            (
                artifact.title,
                f"`{command(artifact.name, quick=quick)}`",
                f"{len(seconds)} of {len(records)}" if records else "none needed",
                duration(sum(seconds)) if seconds else None,
                files or None,
            )
        )
    return Table(columns, tuple(rows), decimals=2)
