"""`homogcl` in processes of its own that a test can signal, kill and starve.

A server process imports the package once; each command is a fork of it, which spares the seconds
that importing torch takes. From there on it is the command line as a user starts it.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import torch

import homogcl
from homogcl.core.faults import VARIABLE
from tests.reliability import tiny

OUTPUTS = ("stdout", "stderr")
TIMEOUT = 120.0  # seconds; no command here takes more than a few
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code (negative: the signal that killed it) and what it printed."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line of error that it printed."""
        (line,) = self.err.splitlines()
        return line


@dataclass(frozen=True)
class Running:
    """A command that has been started."""

    process: ForkServerProcess
    folder: Path

    def signal(self, number: int) -> None:
        """Send a signal; nothing happens if the command has ended."""
        if self.process.is_alive() and self.process.pid:
            os.kill(self.process.pid, number)

    def wait_for(self, seen: Callable[[], bool]) -> bool:
        """Wait until `seen` or until the command has ended, and return whether it was seen."""
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            if seen():
                return True
            if not self.process.is_alive():
                return seen()
            time.sleep(0.001)
        raise TimeoutError

    def end(self) -> Ended:
        """Wait for the end."""
        self.process.join(TIMEOUT)
        if self.process.exitcode is None:
            self.process.kill()
            raise TimeoutError
        return Ended(
            self.process.exitcode,
            (self.folder / "stdout").read_text("utf-8"),
            (self.folder / "stderr").read_text("utf-8"),
        )


def start(
    folder: Path,
    *arguments: object,
    fault: str = "",
    first: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    module: str = "homogcl.cli",
) -> Running:
    """Start `homogcl` with `arguments` in `folder`, which also gets `stdout` and `stderr`.

    Args:
        folder: Where the command runs.
        *arguments: Of the command line; the data set `tiny` is known to it.
        fault: What `homogcl.core.faults` is to do.
        first: A function of a module, called before the command: limits and the like.
        environment: More variables.
        module: Whose `main` is the command line.
    """
    for name, value in THREADS.items():
        os.environ.setdefault(name, value)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_modules(), "multiprocessing.synchronize", __name__])
    for name in OUTPUTS:
        (folder / name).write_bytes(b"")
    extra = {**(environment or {}), **({VARIABLE: fault} if fault else {})}
    words = [str(argument) for argument in arguments]
    process = context.Process(target=_command, args=(folder, words, extra, first, module))
    process.start()
    return Running(process, folder)


def _modules() -> list[str]:
    """All modules of the package: commands import most of them late, and a child must be quick."""
    names = [each.name for each in pkgutil.walk_packages(homogcl.__path__, "homogcl.")]
    return [name for name in names if name != "homogcl.__main__"]


def command(folder: Path, *arguments: object, **options: Any) -> Ended:
    """Run `homogcl` to its end; options as in `start`."""
    return start(folder, *arguments, **options).end()


def _command(
    folder: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    first: Callable[[], None] | None,
    module: str,
) -> None:
    for descriptor, name in enumerate(OUTPUTS, start=1):
        os.dup2(os.open(folder / name, os.O_WRONLY), descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.update(environment)
    if first:
        first()
    from homogcl.core.extensions import third_party

    third_party(tiny.ENTRY.group)[tiny.ENTRY.name] = tiny.ENTRY  # what the cache holds
    sys.argv = ["homogcl", *words]
    try:
        importlib.import_module(module).main()
    finally:
        # After a file-size limit the interpreter itself may fail to write at its end.
        sys.stdout.flush()
        sys.stderr.flush()


def artifacts(run: Path) -> dict[str, object]:
    """Everything in a run folder that an interruption must not change.

    The newest checkpoint stands there with its content: weights, optimizer, random generators.
    """
    log = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    for line in log:
        del line["seconds"]
    found: dict[str, object] = {
        path.name: path.read_bytes()
        for path in run.iterdir()
        if path.is_file() and path.name not in {"metrics.jsonl", ".lock"}
    }
    newest = max((run / "checkpoint").iterdir())
    content = torch.load(newest, weights_only=True)
    return {**found, "log": log, "checkpoint": _comparable(content)}


def _comparable(value: object) -> object:
    """Return a checkpoint's content with every tensor as its bits."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.numpy().tobytes()
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_comparable(each) for each in value]
    return value
