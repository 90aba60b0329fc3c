"""What becomes of each number that the paper prints, in a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from homogcl.pages.metric_cells import mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import OF_FORMER, Record, Summary
from reproduction.paper.overview import NOTABLE
from reproduction.reported.numbers import OPEN, VERDICTS, Cause, Reported

CONFIRMED, NOT_RUN, OTHER_FEATURES = "confirmed", "not run", "other features"
SEEDS = 5  # with fewer, a verdict says how many
DATA = ("cora", "citeseer", "pubmed", "photo", "computers", "arxiv")
_LIMITS = f"{NOTABLE['test_accuracy']} points, or {NOTABLE['nmi']} of NMI and ARI"
MEANINGS = {
    CONFIRMED: f"within {_LIMITS}, whatever the base has",
    **VERDICTS,
    OTHER_FEATURES: "run, but on features made of the edges, which nothing printed is held to",
}
_Reasons = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True)
class Verdict:
    """A word on a printed number, and how many runs of which probe stand behind it."""

    word: str
    seeds: int = SEEDS
    mark: str = ""

    def __str__(self) -> str:
        few = f" ({self.seeds})" if self.seeds < SEEDS else ""
        return f"{self.word}{few} {self.mark}".rstrip()


@dataclass(frozen=True)
class PrintedRow:
    """A row that the paper prints: its table, its name, and the verdict on each number."""

    table: str
    name: str
    by_data: Mapping[str, Verdict | None]


def printed_rows(
    records: Iterable[Record],
    printed: Mapping[str, Sequence[Reported]],
    causes: Iterable[Cause],
    variant: Callable[[Record], str] = lambda record: "",
) -> list[PrintedRow]:
    """Return a verdict for each printed number, by printed row.

    Args:
        records: Runs with the presets' settings, and of the variants that are printed.
        printed: The paper's numbers by the table that they are in.
        causes: Why some of ours differ, and what that is worth.
        variant: Returns the paper's name of a run's variant, empty for the usual one.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.method, variant(record), record.data), []).append(record)
    reasons = {
        (method, name, cause.of): cause.verdict
        for cause in causes
        for method in cause.methods
        for name in cause.data
    }
    rows: dict[tuple[str, str], dict[str, Verdict | None]] = {}
    for table, numbers in printed.items():
        for each in numbers:
            runs = groups.get((each.method, each.variant, each.data), [])
            by_data = rows.setdefault((table, _row_name(each)), {})
            by_data[each.data] = verdict(runs, each, reasons)
    return [PrintedRow(*key, by_data) for key, by_data in rows.items()]


def verdicts_table(rows: Iterable[PrintedRow]) -> Table:
    """Return the verdict on each printed number, one row per printed row."""
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        verdicts = (row.by_data.get(name) for name in DATA)
        words = (None if each is None else str(each) for each in verdicts)
        cells.append((row.table, row.name, *words))
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in MEANINGS.items())
    return Table(("Table", "Row", *DATA), tuple(cells), decimals=2, notes=(f"{meanings}.",))


def counts_table(rows: Iterable[PrintedRow]) -> Table:
    """Return how many printed numbers have which verdict, one row per printed table."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        words = (each.word for each in row.by_data.values() if each is not None)
        counts.setdefault(row.table, Counter()).update(words)
    columns = [word for word in (*MEANINGS, NOT_RUN) if any(each[word] for each in counts.values())]
    body: list[tuple[Cell, ...]] = [
        (table, sum(each.values()), *(each[word] for word in columns))
        for table, each in counts.items()
    ]
    return Table(("Table", "Numbers", *columns), tuple(body), decimals=0)


def verdict(runs: Sequence[Record], paper: Reported, reasons: _Reasons) -> Verdict | None:
    """Return the verdict on a printed number from the runs of its row; None if it prints none."""
    measured = mean_cell(runs, paper.metric)
    if paper.value is None:
        return None
    if not isinstance(measured, Summary):
        return Verdict(NOT_RUN)
    word = CONFIRMED
    if runs[0].setting("features", "data") == "structural":
        word = OTHER_FEATURES
    elif abs(measured.mean - paper.value) > NOTABLE[paper.metric]:
        # A cause is known of the usual variant alone.
        key = (paper.method, paper.data, Cause.kind(paper.metric))
        word = OPEN if paper.variant else reasons.get(key, OPEN)
    former = OF_FORMER if OF_FORMER in measured.mark else ""
    return Verdict(word, measured.n, former)


def _row_name(number: Reported) -> str:
    """Return what a printed row is called: the method, its variant, and a metric of clusters."""
    metric = number.metric.upper() if Cause.kind(number.metric) == "clusters" else ""
    return ", ".join(each for each in (number.method, number.variant, metric) if each)
