"""Processes that train one method together.

There are two ways to share the work. Where a step sees the whole graph, every process encodes it
with the same random streams, and the processes split the pairs of nodes, whose number grows with
N². One sum over the processes in the forward pass and one in the backward pass then give each of
them the loss and the gradient of a single process; BatchNorm and all other parts of a method need
not know. Where a step sees a batch, each process has a batch of its own, gradients are averaged,
and clusters are those of all processes' nodes.

The training loop tells a method by `Method.share` how its processes share the work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from homogcl.core.errors import UserError, first_line

T = TypeVar("T")


class LostProcess(UserError):
    """A process of the training has ended or does not answer in time."""


@contextmanager
def waiting() -> Iterator[None]:
    """Say in one line that a process is lost where the block waits for one in vain."""
    try:
        yield
    except RuntimeError as error:
        raise LostProcess(
            f"another process of the training is lost: {first_line(error)}"
        ) from error


@dataclass(frozen=True)
class Ranks:
    """This process's number among those that work together, and how many they are."""

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that writes files and logs."""
        return self.rank == 0

    def sum(self, x: Tensor) -> Tensor:
        """Return the sum of all processes' `x`, in its own memory."""
        if self.size > 1:
            with waiting():
                dist.all_reduce(x)
        return x

    def maximum(self, x: Tensor) -> Tensor:
        """Return the largest of all processes' `x`, entry by entry, in its own memory."""
        if self.size > 1:
            with waiting():
                dist.all_reduce(x, dist.ReduceOp.MAX)
        return x

    def all(self, flag: bool) -> bool:
        """Return whether `flag` is true in all processes."""
        return flag if self.size == 1 else int(self.sum(torch.tensor(int(not flag)))) == 0

    def first(self, value: T) -> T:
        """Return the first process's value."""
        if self.size == 1:
            return value
        box = [value]
        with waiting():
            dist.broadcast_object_list(box)
        return box[0]

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes."""
        if self.size == 1:
            return [value]
        boxes = [value] * self.size
        with waiting():
            dist.all_gather_object(boxes, value)
        return boxes

    @contextmanager
    def first_before_others(self) -> Iterator[None]:
        """Let the first process do something, such as a download, before the others do it."""
        if not self.is_first:
            self.all(True)
        yield
        if self.is_first:
            self.all(True)


ALONE = Ranks()


@dataclass(frozen=True)
class Sharing:
    """The ways in which the processes of a training share the work."""

    pairs: Ranks = ALONE  # processes that hold the same nodes and split the pairs of them
    nodes: Ranks = ALONE  # processes that hold different nodes
    whole: int = 0  # nodes of the graph, where a step sees a batch of them

    @property
    def ranks(self) -> Ranks:
        """All processes of the training, whatever they share."""
        return self.pairs if self.pairs.size > 1 else self.nodes


def average_gradients(parameters: list[torch.nn.Parameter], ranks: Ranks) -> None:
    """Replace each gradient by the mean over all processes; a missing one counts as zero."""
    if ranks.size == 1:
        return
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    flat = ranks.sum(torch.cat([g.reshape(-1) for g in gradients])) / ranks.size
    parts = torch.split(flat, [g.numel() for g in gradients])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = part.view_as(parameter)


@contextmanager
def joined(environment: Mapping[str, str] = os.environ) -> Iterator[Ranks]:
    """Join the processes that a launcher such as torchrun has started, if there is a launcher.

    A process that waits for another longer than `$HOMOGCL_TIMEOUT` seconds, else an hour, stops.
    """
    ranks = ranks_of(environment)
    if ranks.size == 1:
        yield ranks
        return
    _check_store(environment)
    timeout = patience(environment)
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    with waiting():
        store, rank, size = next(dist.rendezvous("env://", timeout=timeout))  # type: ignore[attr-defined]
        if _is_agents(environment):
            # The launcher's store outlives a restart: without a name of its own, an attempt could
            # find the addresses of processes that have died.
            store = dist.PrefixStore(f"attempt {_restarts(environment)}", store)  # type: ignore[attr-defined]
        dist.init_process_group(backend, timeout=timeout, store=store, rank=rank, world_size=size)
    try:
        yield ranks
    finally:
        dist.destroy_process_group()


def patience(environment: Mapping[str, str] = os.environ) -> timedelta:
    """Return how long a process waits for another."""
    return timedelta(seconds=float(environment.get("HOMOGCL_TIMEOUT", "3600")))


def _is_agents(environment: Mapping[str, str]) -> bool:
    """Return whether the processes meet in a store that torchrun keeps from attempt to attempt."""
    return environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True"


def _check_store(environment: Mapping[str, str]) -> None:
    """Refuse hosts that may be started again but could then not meet.

    Each host counts its own restarts, so that no name of an attempt is the same on all of them.
    """
    hosts, restarts = (
        environment.get(name, "0") for name in ("GROUP_WORLD_SIZE", "TORCHELASTIC_MAX_RESTARTS")
    )
    if _is_agents(environment) and hosts not in ("0", "1") and restarts != "0":
        raise UserError(
            f"--max-restarts {restarts} on {hosts} hosts: set TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 "
            "where torchrun is started, so that hosts meet anew after a restart"
        )


def ranks_of(environment: Mapping[str, str]) -> Ranks:
    """Return the ranks that a launcher's environment variables name, `ALONE` without them."""
    size = environment.get("WORLD_SIZE", "1")
    if size == "1":
        return ALONE
    missing = [key for key in ("RANK", "MASTER_ADDR", "MASTER_PORT") if key not in environment]
    if missing:
        raise UserError(
            f"WORLD_SIZE={size} is set but {', '.join(missing)} is not: start with torchrun or "
            "with --nproc, or unset WORLD_SIZE"
        )
    rank = environment["RANK"]
    if not (rank.isdigit() and size.isdigit() and int(rank) < int(size)):
        raise UserError(f"RANK={rank} is no number from 0 to WORLD_SIZE - 1 ({size} - 1)")
    return Ranks(int(rank), int(size))


def was_restarted(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the launcher started this process again after a failure."""
    return _restarts(environment) != "0"


def _restarts(environment: Mapping[str, str]) -> str:
    return environment.get("TORCHELASTIC_RESTART_COUNT", "0")
