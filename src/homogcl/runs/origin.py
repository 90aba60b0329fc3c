"""What a run came from: versions, the commit of the code and the machine, without its name."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from homogcl.core.config import Config

UNKNOWN = "unknown"  # in records from before a field was there
PRECISION = "float32"  # of work that has no setting for it
_PACKAGES = ("torch", "torch_geometric", "numpy", "scikit-learn")
_ROOT = Path(__file__).parents[3]  # of a checkout
_SOURCES = ("src", "reproduction/*.py", "benchmarks/*.py")


class Machine(Config):
    """What a run's seconds depend on, without anything that names the machine."""

    cpu_count: int
    threads: int = 0  # of torch; 0 if unknown
    platform: str
    processor: str = UNKNOWN


def current_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    package = sys.modules[__name__.partition(".")[0]]
    versions = {"python": platform.python_version(), "homogcl": package.__version__}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def current_machine(threads: int) -> Machine:
    """Return processors, threads and the system, for example `Linux x86_64`."""
    return Machine(
        cpu_count=os.cpu_count() or 1,
        threads=threads,
        platform=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
    )


@cache
def current_commit(root: Path = _ROOT) -> str:
    """Return the commit of the checkout that runs, with `-dirty` where its code was changed.

    An installed package has "none"; where git gives no answer, it is unknown. The first answer
    holds for the life of the process, as its code does.
    """
    if not (root / ".git").exists():
        return "none"
    try:
        commit = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *_SOURCES)
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    return f"{commit}-dirty" if changed else commit


def _git(root: Path, *arguments: str) -> str:
    call = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    done = subprocess.run(call, check=True, capture_output=True, text=True, timeout=20)
    return done.stdout.strip()


def _processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the processor's name, or "unknown" where the system does not say."""
    try:
        lines = cpuinfo.read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*names, platform.processor()]), UNKNOWN)
