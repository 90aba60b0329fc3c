"""Several hosts train one method: alike, over a slow link, and after a host or a link is lost.

They have copies of the graph, or a share of it each.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from homogcl.data.load import citation_graph
from homogcl.data.mapped import write_mapped
from homogcl.data.mapped_share import write_share
from homogcl.data.shared_rows import Share
from homogcl.runs.folder import RunFolder
from tests.hosts import Host, hosts, lacking, launcher, wait_for
from tests.reliability.conftest import Count
from tests.shell import Shell

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "there are hosts")

SETTINGS = ("--set", "hidden_dim=16", "--set", "out_dim=8")
EXACT = ("--set", "epochs=5")
EPOCHS = 200
# Without pairs to split, two processes compute what one does.
SAMPLED = ("--set", "negatives=sampled", "--set", "num_negatives=32", "--set", f"epochs={EPOCHS}")
BATCHES = ("--batch", "neighbors:10", "--set", "fanout=[3]")  # others for each number of processes
LOST = "error: another process of the training is lost"
SAME_SHARE = (
    "the processes have 2/2, 2/2 of the graph: as many as there are shares must train, each with "
    "another one"
)
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
    host: Host,
    graph: Path,
    *settings: str,
    restarts: int = 0,
    timeout: int = 60,
    count: int = 2,
) -> None:
    """Start torchrun on one of some hosts with a graph of its own; they share the run beside it."""
    words = ("homogcl", *command(graph, graph.parent / "run"), *settings)
    words += ("--save-every", 1)  # so that a host is lost soon after a checkpoint
    start = launcher(host, count, restarts=restarts)
    host.start(*start, *words, environment={"HOMOGCL_TIMEOUT": str(timeout)})


def losses(run: Path) -> dict[int, float]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {line["epoch"]: line["loss"] for line in lines}


@contextmanager
def in_training(folder: Path, restarts: int = 0, timeout: int = 60) -> Iterator[list[Host]]:
    """Give two hosts that train, soon after their first checkpoint."""
    with hosts(2, folder) as machines:
        for host in machines:
            train(host, copy(folder, host), *SAMPLED, restarts=restarts, timeout=timeout)
        assert wait_for(lambda: has_begun(folder), PATIENCE), machines[0].said
        yield machines


def has_begun(folder: Path) -> bool:
    return any((folder / "run" / "checkpoint").glob("epoch-*.pt"))


def copy(folder: Path, host: Host) -> Path:
    return folder / f"graph-{host.number}"


def shares(folder: Path, machines: list[Host]) -> list[tuple[Host, Path]]:
    """Each host beside a share of the graph."""
    pairs = [(host, folder / f"share-{host.number}") for host in machines]
    for host, place in pairs:
        share = Share(number=host.number + 1, count=len(machines))
        write_share(folder / "graph-0", place, share)
    return pairs


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
            train(host, copy(folder, host), *EXACT, count=number)
        assert [host.end(PATIENCE) for host in machines] == [0] * number, machines[0].said
    together = losses(folder / "run")
    assert list(together) == [1, 2, 3, 4, 5]
    assert together == pytest.approx(alone(homogcl, folder, *EXACT), rel=1e-5)
    count("slow link between hosts", rounds=1, survived=1)


def test_a_host_that_was_killed_comes_back(folder: Path, homogcl: Shell, count: Count) -> None:
    with in_training(folder, restarts=2) as (first, second):
        second.kill()
        # It counts its restarts from 0, while the other one has begun again.
        train(second, copy(folder, second), *SAMPLED, restarts=2)
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


def together(homogcl: Shell, folder: Path, processes: int, *settings: str) -> RunFolder:
    """What so many processes of one host make of a whole copy of the graph."""
    run = folder / "together"
    homogcl(*command(folder / "graph-0", run), *settings, "--nproc", str(processes))
    return RunFolder(run)


@pytest.mark.parametrize("number", [2, 4])
def test_hosts_with_shares_train_as_processes_with_copies(
    number: int, folder: Path, homogcl: Shell
) -> None:
    with hosts(number, folder) as machines:
        for host, share in shares(folder, machines):
            train(host, share, *EXACT, *BATCHES, count=number)
        assert [host.end(PATIENCE) for host in machines] == [0] * number, machines[0].said
    apart, one = RunFolder(folder / "run"), together(homogcl, folder, number, *EXACT, *BATCHES)
    assert losses(apart.path) == pytest.approx(losses(one.path), rel=1e-6)
    np.testing.assert_allclose(apart.embeddings(), one.embeddings(), rtol=1e-4, atol=1e-6)


def test_a_host_with_a_share_that_was_killed_comes_back(
    folder: Path, homogcl: Shell, count: Count
) -> None:
    settings = (*BATCHES, "--set", "epochs=60")
    with hosts(2, folder) as machines:
        (first, one), (second, other) = shares(folder, machines)
        train(first, one, *settings, restarts=2)
        train(second, other, *settings, restarts=2)
        assert wait_for(lambda: has_begun(folder), PATIENCE), first.said
        second.kill()
        train(second, other, *settings, restarts=2)
        assert [host.end(PATIENCE) for host in (first, second)] == [0, 0], first.said
        assert sum(LOST in line for line in first.said.splitlines()) == 1
    alike = together(homogcl, folder, 2, *settings)
    assert losses(folder / "run") == pytest.approx(losses(alike.path), rel=1e-6)
    count("host killed", rounds=1, survived=1)


def test_hosts_without_a_share_each_are_refused_in_one_line(folder: Path) -> None:
    with hosts(2, folder) as machines:
        _, (_, share) = shares(folder, machines)
        for host in machines:
            train(host, share, *EXACT, *BATCHES)
        assert all(host.end(PATIENCE) != 0 for host in machines)
        for host in machines:
            lines = [line for line in host.said.splitlines() if line.startswith("error:")]
            assert lines == [f"error: {SAME_SHARE}"]
    assert not (folder / "run").exists()
