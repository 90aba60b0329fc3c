"""Fuzzing of the readers that is guided by the code they reach; `make soak` runs it.

`python -m tests.reliability.guided` tries each reader for a while, `… NAME RUNS` only one. It
needs atheris, which has wheels for Linux only; without it, a line says that it was left out.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reliability.catalog import INPUTS

RUNS = 20_000
# Those that are made of values rather than of bytes are left to hypothesis.
NAMES = [name for name in INPUTS if name not in {"edges as CSV", "--set", "command line"}]


def one(name: str, runs: int) -> None:
    """Fuzz the reader called `name`; the process ends here, with an error if it found one."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["homogcl"]):
        fuzz = importlib.import_module("tests.reliability.fuzz")
    with TemporaryDirectory() as scratch, TemporaryDirectory() as corpus:
        reader = fuzz.readers(Path(scratch))[name]
        (Path(corpus) / "good").write_bytes(reader.good)

        def attempt(data: bytes) -> None:
            with TemporaryDirectory() as folder:
                reader.try_out(data, Path(folder))

        atheris.Setup([sys.argv[0], f"-runs={runs}", "-verbosity=0", corpus], attempt)
        atheris.Fuzz()


def main() -> int:
    """Fuzz every reader in a process of its own and return how many failed."""
    if find_spec("atheris") is None:
        print("guided fuzzing left out: atheris is not installed")  # noqa: T201
        return 0
    failed = 0
    for name in NAMES:
        words = [sys.executable, "-m", "tests.reliability.guided", name, str(RUNS)]
        ended = subprocess.run(words, capture_output=True, text=True)
        failed += ended.returncode != 0
        said = "nothing found" if ended.returncode == 0 else ended.stderr[-2000:]
        print(f"{name}: {RUNS:,} runs, {said}")  # noqa: T201
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 2:
        one(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main())
