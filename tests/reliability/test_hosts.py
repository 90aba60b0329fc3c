"""Several hosts train one method: alike, over a slow link, and after a host or a link is lost."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from homogcl.data.load import citation_graph
from homogcl.data.mapped import write_mapped
from tests.hosts import PORT, Host, hosts, lacking, wait_for
from tests.reliability.conftest import Count
from tests.shell import Shell

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "there are hosts")

SETTINGS = ("--set", "hidden_dim=16", "--set", "out_dim=8")
EXACT = ("--set", "epochs=5")
EPOCHS = 200
# Without pairs to split, two processes compute what one does.
SAMPLED = ("--set", "negatives=sampled", "--set", "num_negatives=32", "--set", f"epochs={EPOCHS}")
LOST = "error: another process of the training is lost"
PATIENCE = 300.0  # seconds in which a step of a test ends, however busy the machine is


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a copy of the graph for each host."""
    graph = citation_graph(60, 3, 20, mean_degree=4.0)
    write_mapped(graph, tmp_path / "graph-0")
    for number in range(1, 4):
        shutil.copytree(tmp_path / "graph-0", tmp_path / f"graph-{number}")
    return tmp_path


@pytest.fixture
def homogcl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as on the hosts
    yield Shell(monkeypatch, capsys)
    torch.set_num_threads(threads)


def command(graph: Path, run: Path) -> tuple[object, ...]:
    return ("train", "grace", graph, "--out", run, "--resume", *SETTINGS)


def train(
    host: Host, folder: Path, *settings: str, restarts: int = 0, timeout: int = 60, count: int = 2
) -> None:
    """Start torchrun on one of some hosts with its own copy of the graph; they share the run."""
    meeting = f"is_host={int(host.number == 0)},keep_alive_interval=1,keep_alive_max_attempt=3"
    launcher = (
        *("-m", "torch.distributed.run", "--nnodes", count, "--nproc-per-node", 1),
        *("--rdzv-backend", "c10d", "--rdzv-id", "test", "--rdzv-conf", meeting),
        *("--rdzv-endpoint", f"10.213.77.1:{PORT}", "--local-addr", host.address),
        *("--max-restarts", restarts, "-m"),
    )
    words = ("homogcl", *command(folder / f"graph-{host.number}", folder / "run"), *settings)
    words += ("--save-every", 1)  # so that a host is lost soon after a checkpoint
    variables = {
        "OMP_NUM_THREADS": "1",
        "HOMOGCL_TIMEOUT": str(timeout),
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    host.start(*launcher, *words, environment=variables)


def losses(run: Path) -> dict[int, float]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {line["epoch"]: line["loss"] for line in lines}


@contextmanager
def in_training(folder: Path, restarts: int = 0, timeout: int = 60) -> Iterator[list[Host]]:
    """Give two hosts that train, soon after their first checkpoint."""
    with hosts(2, folder) as machines:
        for host in machines:
            train(host, folder, *SAMPLED, restarts=restarts, timeout=timeout)
        checkpoints = folder / "run" / "checkpoint"
        assert wait_for(lambda: any(checkpoints.glob("epoch-*.pt")), PATIENCE), machines[0].said
        yield machines


def alone(homogcl: Shell, folder: Path, *settings: str) -> dict[int, float]:
    """The losses of a single process."""
    homogcl(*command(folder / "graph-0", folder / "alone"), *settings)
    return losses(folder / "alone")


@pytest.mark.parametrize("number", [2, 4])
def test_hosts_with_a_slow_link_train_as_one(
    number: int, folder: Path, homogcl: Shell, count: Count
) -> None:
    with hosts(number, folder) as machines:
        for host in machines:
            host.slow_down("4mbit")
            train(host, folder, *EXACT, count=number)
        assert [host.end(PATIENCE) for host in machines] == [0] * number, machines[0].said
    together = losses(folder / "run")
    assert list(together) == [1, 2, 3, 4, 5]
    assert together == pytest.approx(alone(homogcl, folder, *EXACT), rel=1e-5)
    count("slow link between hosts", rounds=1, survived=1)


def test_a_host_that_was_killed_comes_back(folder: Path, homogcl: Shell, count: Count) -> None:
    with in_training(folder, restarts=2) as (first, second):
        second.kill()
        # It counts its restarts from 0, while the other one has begun again.
        train(second, folder, *SAMPLED, restarts=2)
        assert [host.end(PATIENCE) for host in (first, second)] == [0, 0], first.said
        assert LOST in first.said
    assert losses(folder / "run") == pytest.approx(alone(homogcl, folder, *SAMPLED), rel=1e-6)
    count("host killed", rounds=1, survived=1)


def test_a_lost_link_is_one_line_and_the_run_goes_on(
    folder: Path, homogcl: Shell, count: Count
) -> None:
    with in_training(folder, timeout=10) as (first, second):
        second.lose_link()
        assert first.end(PATIENCE) != 0
        assert wait_for(lambda: LOST in second.said, PATIENCE)
        for host in (first, second):
            assert sum(LOST in line for line in host.said.splitlines()) == 1
    assert max(losses(folder / "run")) < EPOCHS
    homogcl(*command(folder / "graph-0", folder / "run"), *SAMPLED)
    assert losses(folder / "run") == pytest.approx(alone(homogcl, folder, *SAMPLED), rel=1e-6)
    count("link between hosts lost", rounds=1, survived=1)
