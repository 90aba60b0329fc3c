"""Tables of the measures that `python -m benchmarks` writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homogcl.core.errors import UserError
from homogcl.pages.table import Table

GRACE_PARTS = ("peer", "loss", "memory", "growth")
HEADLINE = {
    "photo: dense over ours, time": "Photo, all pairs: times faster than the usual dense form",
    "photo: dense over ours, memory": "Photo, all pairs: times less memory",
    "photo: dense over ours, sampled": "Photo, sampled negatives: times faster",
    "photo: HomoGCL over GRACE, time": "Photo: time of a step with the plug-in over one without",
    "pubmed: GB above the start of training": "PubMed, all pairs: GB that training adds",
}


def measures_table(path: Path, parts: Sequence[str] = GRACE_PARTS) -> Table:
    """Return the measures of these parts, each with its limit."""
    measures = read_measures(path)
    rows = [
        (row["measure"], f"{row['value']:.3g}", row["held_to"])
        for part in parts
        for row in measures.get(part, {"rows": []})["rows"]
    ]
    return Table(("Measure", "Value", "Held to"), tuple(rows), decimals=2)


def headline_table(path: Path) -> Table:
    """Return the five measures that README shows, in words."""
    values = {
        row["measure"]: f"{row['value']:.3g}"
        for part in GRACE_PARTS
        for row in read_measures(path)[part]["rows"]
    }
    rows = tuple((words, values[measure]) for measure, words in HEADLINE.items())
    return Table(("Measured", ""), rows, decimals=2)


def methods_table(path: Path) -> Table:
    """Return one row per method: time and memory of a step, relative to GRACE."""
    ratios: dict[str, list[str]] = {}
    for row in read_measures(path)["methods"]["rows"]:
        ratios.setdefault(row["measure"].split(":")[0], []).append(f"{row['value']:.2f}")
    rows = tuple((name, *both) for name, both in ratios.items())
    return Table(("Method", "Time over grace", "Memory over grace"), rows, decimals=2)


def sampling_table(path: Path) -> Table:
    """Return the errors of M sampled negatives: one row per M, one column per kind."""
    errors: dict[int, dict[str, str]] = {}
    for row in read_measures(path)["negatives"]["rows"]:
        name = row["measure"].removesuffix(": error (%)").replace(" tau=", ", τ = ")
        what, _, rest = name.partition(" M=")
        count, _, how = rest.partition(", ")
        errors.setdefault(int(count), {})[f"{what}, {how}" if how else what] = f"{row['value']:.2g}"
    columns = list(dict.fromkeys(name for each in errors.values() for name in each))
    rows = [(m, *(each.get(name) for name in columns)) for m, each in sorted(errors.items())]
    return Table(("M", *columns), tuple(rows), decimals=2)


def read_measures(path: Path) -> dict[str, Any]:
    """Return the measures in the file `path`, by part."""
    try:
        measures: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(
            f"cannot read {path}: {error.strerror}; `python -m benchmarks` writes it"
        ) from error
    return measures
