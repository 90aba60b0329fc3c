"""Processes that work together for the length of a test."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import traceback
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch.distributed as dist

from homogcl.core.distributed import Ranks

# Forked, so that a process need not import torch again and a test's functions need no pickling.
_FORK = multiprocessing.get_context("fork")


def run_ranks(
    size: int, work: Callable[[Ranks], object], folder: Path, seconds: float = 60
) -> list[Any]:
    """What `work` returns in each of `size` processes; in a process that failed, its exception.

    A process that was killed returns None. Whoever waits longer than `seconds` fails.
    """
    store = folder / "store"
    store.unlink(missing_ok=True)
    pipes, processes = [], []
    for rank in range(size):
        here, there = _FORK.Pipe(duplex=False)
        process = _FORK.Process(
            target=_worker, args=(Ranks(rank, size), work, store, seconds, there), daemon=True
        )
        process.start()
        there.close()
        pipes.append(here)
        processes.append(process)
    results = [_received(pipe) for pipe in pipes]
    for process in processes:
        process.join()
    return results


def _received(pipe: Any) -> object:
    try:
        return pickle.loads(pipe.recv_bytes())
    except EOFError:
        return None


def _worker(
    ranks: Ranks, work: Callable[[Ranks], object], store: Path, seconds: float, pipe: Any
) -> None:
    try:
        dist.init_process_group(
            "gloo",
            init_method=f"file://{store}",
            rank=ranks.rank,
            world_size=ranks.size,
            timeout=timedelta(seconds=seconds),
        )
        # Bytes: the pipe itself would send a tensor as memory that dies with its process.
        pipe.send_bytes(pickle.dumps(work(ranks)))
    except Exception as error:
        traceback.print_exc()
        pipe.send_bytes(pickle.dumps(error))
    finally:
        pipe.close()
        # Without the clean-up of the test run that this is a copy of.
        os._exit(0)
