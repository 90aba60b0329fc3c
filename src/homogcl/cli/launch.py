"""Several processes on this machine that train one method together."""

from __future__ import annotations

import json
import logging
import os
import sys
import uuid

from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from homogcl.core.distributed import Ranks
from homogcl.core.errors import UserError
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.train import ready


def launch(
    spec: Request,
    folder: RunFolder,
    processes: int,
    max_restarts: int,
    more: list[str],
    *,
    resume: bool,
) -> None:
    """Run `homogcl train` in several processes, as torchrun does, and wait for them.

    All that can be refused is refused here, in one line, before a process starts. When a process
    dies the others are ended; then all of them go on from the newest checkpoint, at most
    `max_restarts` times.

    Args:
        spec: What to train.
        folder: Where to keep it.
        processes: How many train together.
        max_restarts: How often they may be started again.
        more: Further options of the command, as they are typed.
        resume: Whether the folder may hold the same run already.
    """
    if processes < 1:
        raise UserError(f"--nproc {processes}: at least one process must train")
    graph = spec.graph()
    sized = spec.for_size(int(graph.num_nodes or 0))
    ready(sized, graph, Ranks(0, processes))
    with folder.locked():
        folder.begin(sized, graph, resume=resume)
    del graph
    threads = max(1, (os.cpu_count() or 1) // processes)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    logging.getLogger("torch.distributed.elastic").setLevel(logging.CRITICAL)
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=max_restarts,
    )
    try:
        elastic_launch(config, sys.executable)(*_arguments(spec, folder), *more)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        raise UserError(
            f"process {rank} of {processes} ended with exit code {failure.exitcode}; "
            f"the run in {folder.path} can go on with --resume"
        ) from None


def _arguments(spec: Request, folder: RunFolder) -> list[str]:
    """Return the command of one process: the same training, from the folder that was begun."""
    arguments = ["-m", "homogcl", "train", spec.method, spec.data, "--seed", str(spec.seed)]
    arguments += ["--out", str(folder.path), "--resume"]
    for key, value in spec.overrides.items():
        # JSON's numbers, texts, lists and truth values are TOML's.
        arguments += ["--set", f"{key}={json.dumps(value)}"]
    for key, value in spec.files.items():
        arguments += [f"--{key}", ",".join(value) if isinstance(value, list) else str(value)]
    if spec.preset is not None:
        arguments += ["--preset", spec.preset]
    if spec.root is not None:
        arguments += ["--root", str(spec.root)]
    return arguments
