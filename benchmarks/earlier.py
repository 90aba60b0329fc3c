"""This code beside earlier commits of it, each checked out beside it, on the same machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.process import Measured

Row = tuple[str, float, str]

SPEED = "c250e39"  # the commit whose sampled step on Photo the present one is compared with
MEMORY = "d260509"  # the last commit before steps were made faster
_ROOT = Path(__file__).parents[1]
_STEPS = (("grace+homogcl", "photo"), ("grace+adaptive", "pubmed"), ("bgrl", "computers"))


def earlier() -> list[Row]:
    """Compare Photo's sampled step, and memory, with those of earlier commits."""
    with checkout(SPEED) as before:
        rounds = [(measured(_ROOT, *_WAYS), measured(before, *_TURNS)) for _ in range(2)]
    now, then = zip(*rounds, strict=True)
    theirs = max(each["ratio_ours"] for each in then)
    rows: list[Row] = [(f"photo, sampled: dense over ours at {SPEED}", theirs, "")]
    for way, (name, held) in _HELD.items():
        if way in now[0]:
            ours = max(each[way] for each in now)
            rows += [
                (f"{name}: dense over ours", ours, ""),
                (f"{name}: dense over ours, over that of {SPEED}", ours / theirs, held),
            ]
    with checkout(MEMORY) as before:
        for method, data in _STEPS:
            peak, peak_before = (
                measured(root, "step", method, data, "3")["peak_bytes"] for root in (_ROOT, before)
            )
            what = f"{data}, {method}: memory over {MEMORY}"
            rows.append((what, peak / peak_before, "at most 1.1"))
    return rows


_WAYS = ("sampled_ways", "photo", "2")
_TURNS = ("sampled_and_dense", "photo", "2")
_HELD = {
    "preset": ("photo, sampled", "at least 1.4"),
    "refresh": ("photo, sampled, refresh=5", "at least 1.4"),
    "bfloat16": ("photo, sampled, refresh=5, bfloat16", "at least 2"),
}


@contextmanager
def checkout(commit: str, root: Path = _ROOT) -> Iterator[Path]:
    """Check `commit` out into a folder that is gone after the block."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / commit
        _git(root, "worktree", "add", "--detach", str(place), commit)
        try:
            yield place
        finally:
            _git(root, "worktree", "remove", "--force", str(place))


def measured(root: Path, name: str, *arguments: str) -> Measured:
    """Return a measure of the checkout at `root`, taken by its own code."""
    paths = os.pathsep.join(str(root / each) for each in ("src", "."))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--one", name, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths},
    )
    result: Measured = json.loads(done.stdout.splitlines()[-1])
    return result


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)
