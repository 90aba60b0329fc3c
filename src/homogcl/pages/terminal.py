"""What the command line shows: progress on a terminal, plain lines elsewhere."""

from __future__ import annotations

import json
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from homogcl.core.errors import UserError
from homogcl.core.memory import shortage

# Rich is loaded only for a table or a progress bar.
if TYPE_CHECKING:
    from rich.progress import Progress

    from homogcl.runs.record import Record
    from homogcl.training.loop import Epoch


def say(text: str) -> None:
    """Print a line."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Print a line that is no result, beside the output."""
    _print(text, sys.stderr)


def paragraph(text: str) -> None:
    """Print an indented text, broken into lines."""
    say(textwrap.fill(text, 98, initial_indent="  ", subsequent_indent="  "))


def result(values: Mapping[str, object], *, as_json: bool) -> None:
    """Print named values, one per line, or as one JSON object."""
    if as_json:
        say(json.dumps(values))
        return
    width = max(map(len, values), default=0)
    for key, value in values.items():
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        say(f"{key:<{width}}  {text}")


def rows(items: Sequence[Mapping[str, str]], *, as_json: bool) -> None:
    """Print a listing as a table or as a JSON array."""
    if as_json:
        say(json.dumps(list(items)))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in items[0] if items else []:
        table.add_column(column, overflow="fold")
    for item in items:
        table.add_row(*item.values())
    Console(soft_wrap=True, highlight=False, markup=False, emoji=False).print(table)


@contextmanager
def training(title: str) -> Iterator[Callable[[Epoch], None]]:
    """Show the epochs of one training."""
    with _progress() as progress:
        task = progress.add_task(title, total=None, note="")

        def follow(epoch: Epoch) -> None:
            note = f"loss {epoch.loss:.4f}"
            progress.update(task, completed=epoch.number, total=epoch.total, note=note)

        yield follow


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Show the stages of a work, each with its time; elsewhere than on a terminal, as lines."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield note
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:

        def finish() -> None:
            for task in progress.tasks:
                progress.update(task.id, total=1, completed=1)

        def follow(stage: str) -> None:
            finish()
            progress.add_task(stage, total=None)

        yield follow
        finish()


class Grid:
    """The progress of a grid: cells done, the epochs of the present one, time left."""

    def __init__(self, progress: Progress, cells: int) -> None:
        self.done = 0
        self._progress = progress
        self._total = cells
        self._seconds: list[float] = []  # of each cell that had to be run
        self._started = time.monotonic()
        self._cells = progress.add_task("cells", total=cells, note="")
        self._epochs = progress.add_task("", total=None, visible=False, note="")

    def epoch(self, title: str) -> Callable[[Epoch], None]:
        """Return what follows the epochs of the cell called `title`."""
        self._started = time.monotonic()

        def follow(epoch: Epoch) -> None:
            self._progress.update(
                self._epochs,
                description=title,
                completed=epoch.number,
                total=epoch.total,
                note=f"loss {epoch.loss:.4f}",
                visible=True,
            )

        return follow

    def cell(self, record: Record, *, ran: bool) -> None:
        """Count a cell and print its result."""
        accuracy = record.metrics.get("test_accuracy")
        score = "" if accuracy is None else f"accuracy {100 * accuracy:.1f}"
        spent = f"{record.seconds:.0f} s" if ran else "done before"
        self._count(ran=ran)
        self._say(f"{record.method} on {record.data}, seed {record.seed}: {score} ({spent})")

    def failed(self, label: str, error: Exception) -> None:
        """Count a cell that failed and print why; a bug keeps its traceback."""
        self._count(ran=True)
        reason = str(error) if isinstance(error, UserError) else shortage(error)
        if reason is None:
            reason = f"{type(error).__name__}: {error}"
            self._say("".join(traceback.format_exception(error)).rstrip())
        self._say(f"failed: {label}: {reason}")

    def _count(self, *, ran: bool) -> None:
        self.done += 1
        if ran:
            self._seconds.append(time.monotonic() - self._started)
        left = _left(self._seconds, self._total - self.done)
        self._progress.update(self._cells, advance=1, note=left)

    def _say(self, text: str) -> None:
        self._progress.console.print(text, markup=False, emoji=False, soft_wrap=True)


def _left(seconds: Sequence[float], cells: int) -> str:
    """Return how long `cells` more cells take if none of them was done before."""
    if not seconds or not cells:
        return ""
    from homogcl.advice.estimate import duration

    return f"at most about {duration(cells * sum(seconds) / len(seconds))} left"


@contextmanager
def grid(cells: int) -> Iterator[Grid]:
    """Show the progress of `cells` cells."""
    with _progress() as progress:
        yield Grid(progress, cells)


@contextmanager
def counted_rows() -> Iterator[Callable[[str, int], None]]:
    """Show how many rows each of some stages is through with: one line for each stage."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    stage, count, started = "", 0, time.monotonic()

    def end() -> None:
        if stage:
            note(f"{stage}: {count:,} ({time.monotonic() - started:.0f} s)")

    with console.status("") as status:

        def follow(name: str, rows: int) -> None:
            nonlocal stage, count, started
            if name != stage:
                end()
                started = time.monotonic()
            stage, count = name, rows
            status.update(f"{name}: {rows:,}")

        yield follow
        end()


def _print(text: str, stream: TextIO) -> None:
    print(text, file=stream, flush=True)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
