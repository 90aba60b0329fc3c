"""Write the tables of `docs/reliability.md` from the counts that the tests have made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from homogcl.core.files import write_atomically

DOCS = Path(__file__).parent
PAGE = DOCS / "reliability.md"
COUNTS = DOCS / "reliability.json"

Counts = Mapping[str, Mapping[str, int]]

# Kind of count: heading of the first column, then columns and how each is computed.
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fault": ("Fault", ("rounds", "survived", "lost")),
    "graph": ("Graph or setting", ("methods", "worked", "refused", "crashed")),
    "input": ("Input", ("tried", "read", "refused", "crashed")),
}


def table(kind: str, counts: Counts) -> str:
    """Return one table in Markdown, a row for each name."""
    title, columns = COLUMNS[kind]
    lines = [
        f"| {title} | {' | '.join(columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    for name, numbers in counts.items():
        cells = (f"{_number(column, numbers):,}" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def filled(text: str, counts: Mapping[str, Counts]) -> str:
    """Return the page with each table between its markers replaced."""
    for kind, results in counts.items():
        start, end = f"<!-- {kind}s -->", f"<!-- /{kind}s -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{table(kind, results)}\n{end}{after}"
    return text


def _number(column: str, numbers: Mapping[str, int]) -> int:
    if column == "lost":
        return numbers["rounds"] - numbers["survived"]
    if column == "crashed":
        return numbers["tried"] - sum(n for name, n in numbers.items() if name != "tried")
    return numbers.get("tried" if column == "methods" else column, 0)


if __name__ == "__main__":
    content = filled(PAGE.read_text("utf-8"), json.loads(COUNTS.read_text("utf-8")))
    write_atomically(PAGE, content.encode())
