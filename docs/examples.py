"""The examples of a page: what its fenced blocks say to run, in order."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"```(python|sh)\n(.*?)```", re.S)


@dataclass(frozen=True)
class Step:
    """One thing to run: a block of Python, or the words of one command."""

    python: str = ""
    command: tuple[str, ...] = ()


def steps(page: Path) -> Iterator[Step]:
    """Yield what a page says to run; each line of a shell's block is a command."""
    for language, code in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            yield Step(python=code)
        else:
            for line in code.splitlines():
                yield Step(command=tuple(shlex.split(line, comments=True)))
