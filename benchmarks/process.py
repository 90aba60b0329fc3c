"""A measure taken in processes of its own, so that its memory is its own too."""

from __future__ import annotations

import json
import os
import subprocess
import sys

Measured = dict[str, float]


def measure(name: str, *arguments: str | int, processes: int = 1, threads: int = 0) -> Measured:
    """Return a measure, taken in a process of its own or in several that share the work.

    Args:
        name: The measure.
        *arguments: What it is called with.
        processes: How many take it together.
        threads: Of each process; as many as torch takes by default.
    """
    call = [sys.executable, "-m"]
    if processes > 1:
        call += ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", "-m"]
    call += ["benchmarks", "--one", name, *map(str, arguments)]
    variables = {"OMP_NUM_THREADS": str(threads)} if threads else {}
    done = subprocess.run(
        call, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables}
    )
    result: Measured = json.loads(done.stdout.splitlines()[-1])
    return result
