"""The numbers that the paper prints, apart from measured ones.

Values are as printed: accuracies in percent, NMI and ARI as fractions, sizes as counts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

from homogcl.core.errors import UnknownName

_TABLES = ("ablation", "arxiv", "bgrl", "classification", "clustering", "statistics")


@dataclass(frozen=True)
class Reported:
    """One printed number; if the paper prints none, `value` is None and `note` says why."""

    method: str
    variant: str
    data: str
    metric: str
    value: float | None
    std: float | None
    printed: str
    note: str


OPEN = "open"
# Of a number that does not come out: what runs say of the cause.
VERDICTS = {
    "explained": "runs show what the difference comes from",
    "short of budget": "trained for fewer steps than the printed number, and still moving",
    "refuted": "run as printed and as released, and not reached",
    OPEN: "a cause is supposed, and no run shows it",
}


@dataclass(frozen=True)
class Cause:
    """Why our numbers for these methods differ from the paper's on these data sets.

    Numbers of records in `reason` are expressions in double brackets, which `prose.filled` fills.
    """

    methods: tuple[str, ...]
    data: tuple[str, ...]
    of: str  # "accuracy" or "clusters"
    reason: str
    verdict: str = OPEN  # one of `VERDICTS`

    @staticmethod
    def kind(metric: str) -> str:
        """Return the kind of a metric, in the words of `of`."""
        return "clusters" if metric in {"nmi", "ari"} else "accuracy"


def table_names() -> list[str]:
    """Return the names of the paper's tables of results."""
    return list(_TABLES)


def read(table: str) -> list[Reported]:
    """Return the numbers of one of the paper's tables, in its order."""
    if table not in _TABLES:
        raise UnknownName("reported table", table, _TABLES)
    file = resources.files(__package__) / f"{table}.csv"
    return [_reported(row) for row in csv.DictReader(file.read_text("utf-8").splitlines())]


def causes() -> list[Cause]:
    """Return the established causes of differences from the paper."""
    file = resources.files(__package__) / "causes.csv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines())
    return [
        Cause(
            tuple(row["methods"].split()),
            tuple(row["data"].split()),
            row["of"],
            row["reason"],
            row["verdict"],
        )
        for row in rows
    ]


def find(
    numbers: Iterable[Reported], method: str, data: str, metric: str, variant: str = ""
) -> Reported | None:
    """Return the number among `numbers` that matches the other arguments, or None."""
    description = (method, data, metric, variant)
    for number in numbers:
        if (number.method, number.data, number.metric, number.variant) == description:
            return number
    return None


def _reported(row: dict[str, str]) -> Reported:
    value, std = row["value"], row["std"]
    return Reported(
        method=row["method"],
        variant=row["variant"],
        data=row["data"],
        metric=row["metric"],
        value=float(value) if value else None,
        std=float(std) if std else None,
        printed=f"{value} ± {std}" if std else value,
        note=row["note"],
    )
