"""Sentences with numbers: each number of a result stands between markers that say where it is from.

`<!-- v: EXPRESSION -->82.9<!-- /v -->` is invisible but for the number; `reproduction.expressions`
says what an expression is. `<!-- v: note --><!-- /v -->` explains the mark of the former probe on a
page that has one. `<!-- holds: EXPRESSION < 0.05 -->` (or >) shows nothing: it stands behind words
that are true as long as it holds. Neither begins a line: there Markdown would read a block of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.runs.record import OF_FORMER
from reproduction.expressions import Value, evaluate

NOTE = f" Numbers with {OF_FORMER} are by the former probe; its runs await the present one."
_MARKED = re.compile(r"<!-- v: (?P<expression>.*?) -->(?P<text>.*?)<!-- /v -->")
BRACKETED = re.compile(r"\[\[(.*?)\]\]")
_CLAIM = re.compile(r"<!-- holds: (?P<expression>.*?) (?P<sign>[<>]) (?P<limit>-?\d+(\.\d+)?) -->")
_BEGINNINGS = ("<!-- v:", "<!-- holds:")
_EITHER = re.compile(r"<!-- (v:|/v)")
# What is no sentence: code, tables that a command writes, marked numbers, comments, links.
_NO_PROSE = re.compile(
    r"^```.*?^```|<!-- ([\w:-]+) -->.*?<!-- /\1 -->|<!-- v:.*?<!-- /v -->|`[^`\n]*\n?[^`\n]*`"
    r"|<!--.*?-->|\]\([^)]*\)",
    re.S | re.M,
)
_PLAIN = "<!-- plain: "
_DECIMAL = re.compile(r"(?<![\w.])(?<!Python )(?<!Section )\d+(\.\d+| %| points?\b)")


def pages(root: Path) -> list[str]:
    """Return the pages whose sentences are held to records: README and docs."""
    return ["README.md", *(f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md")))]


def rewritten(text: str, page: str, root: Path) -> str:
    """Return the text of a page with every marked number as its records give it."""
    values: dict[str, str] = {}
    marked = False
    for line, expression, _ in _markers(text, page):
        if expression == "note":
            continue
        value = _evaluated(expression, root, f"{page}, line {line}")
        values[expression] = _shown(value)
        marked |= bool(value.mark)
    values["note"] = NOTE if marked else ""

    def insert(marker: re.Match[str]) -> str:
        expression = marker["expression"]
        return f"<!-- v: {expression} -->{values[expression]}<!-- /v -->"

    return _MARKED.sub(insert, text)


def filled(text: str, place: str, root: Path) -> str:
    """Return a text of a table with every `[[EXPRESSION]]` as its records give it."""

    def insert(bracketed: re.Match[str]) -> str:
        return _shown(_evaluated(bracketed[1], root, place))

    return BRACKETED.sub(insert, text)


def rewrite(root: Path) -> list[str]:
    """Write every marked number of the pages anew, and return the pages that changed."""
    changed = []
    for page in pages(root):
        text = (root / page).read_text("utf-8")
        if (new := rewritten(text, page, root)) != text:
            write_atomically(root / page, new.encode())
            changed.append(page)
    return changed


def stale(page: str, root: Path) -> list[str]:
    """Return the marked numbers and claims of a page that its records do not give, as sentences."""
    text = (root / page).read_text("utf-8")
    pairs = zip(_markers(text, page), _markers(rewritten(text, page, root), page), strict=True)
    numbers = [
        f"{page}, line {line}: `{expression}` is {now}, not {before}"
        for (line, expression, before), (_, _, now) in pairs
        if before != now
    ]
    return numbers + _broken_claims(text, page, root)


def _broken_claims(text: str, page: str, root: Path) -> list[str]:
    claims = []
    for number, line in enumerate(text.split("\n"), 1):
        for claim in _CLAIM.finditer(line):
            place = f"{page}, line {number}"
            value = _evaluated(claim["expression"], root, place).number
            limit = float(claim["limit"])
            if not (value < limit if claim["sign"] == "<" else value > limit):
                claims.append(f"{place}: `{claim[0][12:-4]}` does not hold: it is {value:.4g}")
    return claims


def _shown(value: Value) -> str:
    return value.text + value.mark


def _evaluated(expression: str, root: Path, place: str) -> Value:
    try:
        return evaluate(expression, root)
    except UserError as error:
        raise UserError(f"{place}: `{expression}`: {error}") from error
    except ValueError as error:
        raise UserError(f"{place}: `{expression}` is not as expressions.py has it") from error


def unmarked(text: str) -> list[str]:
    """Return the lines with a decimal or a percentage that neither a marker nor a reason backs."""
    blanked = _NO_PROSE.sub(lambda part: re.sub(r"[^\n]", " ", part[0]), text)
    return [
        line.strip()
        for line, prose in zip(text.split("\n"), blanked.split("\n"), strict=True)
        if _DECIMAL.search(prose) and _PLAIN not in line
    ]


def _markers(text: str, page: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, expression and number of each marker; refuse one that is not whole."""
    for number, line in enumerate(text.split("\n"), 1):
        markers = list(_MARKED.finditer(line))
        halves, claims = len(_EITHER.findall(line)), line.count("<!-- holds:")
        whole = halves == 2 * len(markers) and claims == len(_CLAIM.findall(line))
        if not whole or line.lstrip(" -*").startswith(_BEGINNINGS):
            raise UserError(
                f"{page}, line {number}: write `<!-- v: EXPRESSION -->NUMBER<!-- /v -->` or "
                "`<!-- holds: EXPRESSION < NUMBER -->` on one line, and not at its beginning"
            )
        yield from ((number, marker["expression"], marker["text"]) for marker in markers)
