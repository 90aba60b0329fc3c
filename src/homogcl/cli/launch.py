"""A training in this process, or in several processes on this machine that train together."""

from __future__ import annotations

import json
import logging
import os
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from homogcl.cli.files import as_words

if TYPE_CHECKING:
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.request import Request
    from homogcl.training.checkpoint import Intervals
    from homogcl.training.loop import Epoch


@dataclass(frozen=True)
class Processes:
    """How many processes train together, and how often they may be started again."""

    count: int
    max_restarts: int = 0


def train_here(
    request: Request,
    folder: RunFolder,
    save_every: Intervals,
    tensorboard: Path | None = None,
    *,
    resume: bool,
    confirm: Callable[[str], bool] | None = None,
) -> None:
    """Train in this process, which may be one of several, and show the progress.

    With `confirm`, a training of more than an hour begins only after a yes.
    """
    from homogcl.cli.forecast import TimeLeft, check_memory, check_time, neighbor_warning
    from homogcl.core.distributed import joined, was_restarted
    from homogcl.methods.forms import LAST
    from homogcl.pages import terminal
    from homogcl.runs.train import train_run

    with joined() as ranks:
        with ranks.first_before_others():
            run = request.resolve()
            report = run.graph.get("report")
        if not ranks.is_first:
            train_run(run, folder, save_every=save_every, ranks=ranks)
            return
        check_memory(run, terminal.note)
        warnings: list[str] = []
        if not (resume or was_restarted()):
            check_time(run, terminal.note, confirm)
            warnings = neighbor_warning(run)
        lines = [f"{run.name}: {report}"] if report else []  # said with the first epoch
        left = TimeLeft(terminal.note)
        with terminal.training(run.title) as show:

            def follow(epoch: Epoch) -> None:
                while lines:
                    terminal.say(lines.pop())
                while warnings:
                    terminal.note(warnings.pop())
                show(epoch)
                left(epoch)

            trained = train_run(
                run,
                folder,
                resume=resume or was_restarted(),
                on_epoch=follow,
                save_every=save_every,
                tensorboard=tensorboard,
                ranks=ranks,
            )
    form = "" if trained.form == LAST else f", form {trained.form}"
    lines.append(f"trained {run.title} in {trained.seconds:.1f} s{form}; run folder: {folder.path}")
    for line in lines:
        terminal.say(line)


def launch(
    request: Request,
    folder: RunFolder,
    processes: Processes,
    options: list[str],
    *,
    resume: bool,
    confirm: Callable[[str], bool] | None = None,
) -> None:
    """Run `homogcl train` in several processes, as torchrun does, and wait for them.

    Mistakes are refused here, in one line, before a process starts. Warnings and the question
    before a long training come from here too, not from the processes. When a process dies, the
    others are ended, and all of them go on from the newest checkpoint. Further `options` are
    passed on as typed.
    """
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    from homogcl.core.errors import UserError

    _begin(request, folder, processes.count, resume=resume, confirm=confirm)
    threads = max(1, (os.cpu_count() or 1) // processes.count)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    logging.getLogger("torch.distributed.elastic").setLevel(logging.CRITICAL)
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes.count,
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=processes.max_restarts,
    )
    try:
        elastic_launch(config, sys.executable)(*_arguments(request, folder), *options)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        raise UserError(
            f"process {rank} of {processes.count} ended with exit code {failure.exitcode}; "
            f"the run in {folder.path} can go on with --resume"
        ) from None


def _begin(
    request: Request,
    folder: RunFolder,
    processes: int,
    *,
    resume: bool,
    confirm: Callable[[str], bool] | None,
) -> None:
    """Begin the run folder; its graph is forgotten before the processes load their own."""
    from homogcl.cli.forecast import check_time, neighbor_warning
    from homogcl.core.distributed import Ranks
    from homogcl.core.errors import UserError
    from homogcl.pages import terminal
    from homogcl.runs.train import new_method
    from homogcl.training.loop import fixed_length

    if processes < 1:
        raise UserError(f"--nproc {processes}: at least one process must train")
    run = request.resolve()
    method = new_method(run, Ranks(0, processes))
    reason = fixed_length(method, run.settings.train)
    if not resume:
        check_time(run, terminal.note, confirm)
    with folder.locked():
        folder.begin(run, resume=resume, fixed_length=reason)
    for warning in [] if resume else neighbor_warning(run):
        terminal.note(warning)


def _arguments(request: Request, folder: RunFolder) -> list[str]:
    """Return the command of one process: the same training, from the folder that was begun."""
    arguments = ["-m", "homogcl", "train", request.method, request.data]
    arguments += ["--seed", str(request.seed), "--out", str(folder.path), "--resume"]
    for key, value in request.overrides.items():
        # JSON's numbers, texts, lists and truth values are TOML's.
        arguments += ["--set", f"{key}={json.dumps(value)}"]
    arguments += as_words(request.files)
    if request.preset is not None:
        arguments += ["--preset", request.preset]
    if request.warm_start is not None:
        arguments += ["--warm-start", str(request.warm_start)]
    if request.root is not None:
        arguments += ["--root", str(request.root)]
    return arguments
