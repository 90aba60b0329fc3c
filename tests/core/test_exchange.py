"""Processes give each other rows, in rounds that all of them take part in."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
import torch
from torch import Tensor

from homogcl.core.distributed import LostProcess, Ranks
from homogcl.core.exchange import Exchange
from tests.processes import run_ranks


def part(rank: int) -> Tensor:
    """What a process holds: another number of rows than the others."""
    return 100.0 * rank + torch.arange(3.0 * (rank + 2)).view(-1, 3)


def exchange(ranks: Ranks) -> Exchange:
    return Exchange(ranks, lambda numbers: part(ranks.rank)[numbers])


@pytest.mark.parametrize("size", [2, 3])
def test_rows_come_from_the_processes_that_have_them(size: int, tmp_path: Path) -> None:
    def work(ranks: Ranks) -> bool:
        rows = exchange(ranks)
        rng = torch.Generator().manual_seed(ranks.rank)
        for round_ in range(5):
            # Nothing of one process in each round, and nothing at all in the last one.
            counts = [0 if round_ in (rank, 4) else rank + 2 for rank in range(size)]
            wanted = [torch.randperm(count, generator=rng) for count in counts]
            for rank, got in enumerate(rows.rows(wanted)):
                assert torch.equal(got, part(rank)[wanted[rank]])
        return True

    assert run_ranks(size, work, tmp_path) == [True] * size


def test_a_thread_asks_while_the_processes_average(tmp_path: Path) -> None:
    def work(ranks: Ranks) -> float:
        rows = exchange(ranks)
        got: list[Tensor] = []

        def ask() -> None:
            for _ in range(20):
                got.extend(rows.rows([torch.tensor([1]), torch.tensor([0])]))

        thread = threading.Thread(target=ask)
        thread.start()
        total = sum(float(ranks.sum(torch.ones(1))) for _ in range(20))
        thread.join()
        assert torch.equal(torch.cat(got), torch.cat([part(0)[1:2], part(1)[:1]] * 20))
        return total

    assert run_ranks(2, work, tmp_path) == [40.0, 40.0]


def test_others_serve_the_first_until_it_ends(tmp_path: Path) -> None:
    def work(ranks: Ranks) -> float:
        rows = exchange(ranks)
        if not ranks.is_first:
            rows.serve()
            return 0.0
        none = torch.empty(0, dtype=torch.int64)
        got = [rows.rows([none, torch.tensor([row])])[1] for row in range(3)]
        rows.end()
        return float(torch.cat(got).sum())

    assert run_ranks(2, work, tmp_path) == [float(part(1).sum()), 0.0]


@pytest.mark.parametrize("dies", [True, False])
def test_a_process_that_is_lost_ends_the_wait(
    dies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_TIMEOUT", "0.5")

    def work(ranks: Ranks) -> None:
        rows = exchange(ranks)
        if not ranks.is_first:
            if dies:
                os._exit(1)
            time.sleep(2)
            return
        rows.rows([torch.tensor([0]), torch.tensor([0])])

    first, _ = run_ranks(2, work, tmp_path)
    assert isinstance(first, LostProcess)
    assert "another process of the training is lost" in str(first)
