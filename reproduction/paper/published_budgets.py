"""How long and how wide methods were trained for their papers, and how long and wide here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from homogcl.advice.estimate import duration
from homogcl.methods.names import split_name
from homogcl.pages.table import Cell, Table
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import preset_names
from homogcl.runs.record import Record, read_records
from reproduction.artifact import Artifact, write_table
from reproduction.paper.tables import DATA, METHODS
from reproduction.plan import QUICK_DATA

NAME: Final = "published-budgets"
TITLE: Final = "Steps and widths: published, and here"
# Alternatives that hold what authors published, first those of the method's own paper.
PUBLISHED: Final = ("published", "official", "graphmae", "released")
OF_HOMOGCL: Final = ("released",)
UNPUBLISHED: Final = "not published"  # in the source of a preset, and in the table
WITH_LABELS: Final = ("mlp", "gcn", "gat", "sage")  # their epoch is chosen on validation
COLUMNS: Final = (
    *("Method", "Data set", "Steps, published", "Steps here", "Width, published", "Width here"),
    *("Time here", "Time of the published steps"),
)
NOTES: Final = (
    "Widths are of the hidden layers and of the embeddings. Times are the median of the trainings "
    "with records, mostly on one thread beside other work; those of the published steps are times "
    "per step here, with the width and the negatives that are used here, as often as published.",
    "For HomoGCL on BGRL nothing is published.",
)


@dataclass(frozen=True)
class Budget:
    """Steps and widths of a training."""

    steps: int
    width: str

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """Return those of a method's settings."""
        values = settings.flat()
        # A single layer has no hidden width.
        keys = ("out_dim",) if values.get("num_layers") == 1 else ("hidden_dim", "out_dim")
        widths = [str(values[key]) for key in keys if key in values]
        return cls(settings.train.epochs, ", ".join(widths))


def published_budget(method: str, data: str) -> Budget | None:
    """Return what is published for a method on a data set; None if nothing is.

    It is the preset that holds the published settings, else the usual one unless its source says
    that they are not published.
    """
    base, plugins = split_name(method)
    sources = {(name, section): source for name, section, source in preset_names()}
    for name in OF_HOMOGCL if plugins else PUBLISHED:
        if (base, f"{data}/{name}") in sources:
            return Budget.of(resolve(method, data, preset=name))
    if UNPUBLISHED in sources.get((base, data), UNPUBLISHED):
        return None
    return Budget.of(resolve(method, data))


def budgets_table(records: Iterable[Record], methods: Sequence[str], data: Sequence[str]) -> Table:
    """Return one row per method and data set; methods that take no steps have none.

    Args:
        records: Runs with the presets' settings.
        methods: Which methods, in which order.
        data: Which data sets, in which order.
    """
    seconds: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if record.status == "ok":
            seconds.setdefault((record.method, record.data), []).append(record.seconds)
    rows = tuple(
        _row(method, name, seconds.get((method, name), []))
        for method in methods
        for name in data
        if resolve(method, name).train.epochs > 0
    )
    return Table(COLUMNS, rows, decimals=1, notes=NOTES)


def _row(method: str, data: str, seconds: Sequence[float]) -> tuple[Cell, ...]:
    here, published = Budget.of(resolve(method, data)), published_budget(method, data)
    taken = median(seconds) if seconds else None
    whole = None if taken is None or published is None else taken / here.steps * published.steps
    return (
        method,
        data,
        UNPUBLISHED if published is None else published.steps,
        here.steps,
        None if published is None else published.width,
        here.width,
        None if taken is None else duration(taken),
        None if whole is None else duration(whole),
    )


def published_budgets(results: Path, data: Sequence[str] = DATA) -> Table:
    """Return the table of the paper's methods that are trained by steps without labels."""
    methods = [method for method in METHODS if method not in WITH_LABELS]
    return budgets_table(read_records(results / "presets"), methods, data)


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    table = published_budgets(results, (QUICK_DATA,) if quick else DATA)
    return write_table(out, NAME, TITLE, table)


PUBLISHED_BUDGETS = Artifact(NAME, TITLE, lambda quick: [], _write)
