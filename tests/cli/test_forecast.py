"""What is said of long trainings and of too little memory; no test asks how long anything takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.advice.estimate import Estimate
from homogcl.cli.forecast import (
    FIRST_EPOCHS,
    HOUR,
    TimeLeft,
    check_memory,
    check_time,
    most_seconds,
    neighbor_warning,
    seconds_left,
)
from homogcl.core.errors import UserError
from homogcl.data.edges import undirected
from homogcl.data.load import citation_graph
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.training.loop import Epoch


@pytest.fixture
def run(block_graph: Data) -> Run:
    return Run.of("grace", resolve("grace", ""), block_graph)


@pytest.mark.parametrize(
    ("free", "said"), [(10**12, "nothing"), (3 * 10**9, "warning"), (10**9, "refused")]
)
def test_a_training_without_memory_is_warned_of_or_refused(
    free: int, said: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.COPIES", 10**9)
    monkeypatch.setattr("homogcl.advice.estimate.memory_needed", lambda run: 5 * 10**9)
    monkeypatch.setattr("homogcl.core.memory.available_bytes", lambda: free)
    lines: list[str] = []
    if said == "refused":
        with pytest.raises(UserError, match=r"need 5\.0 GB and 1\.0 GB are free"):
            check_memory(run, lines.append)
    else:
        check_memory(run, lines.append)
    assert [line.split(":")[0] for line in lines] == (["warning"] if said == "warning" else [])


@pytest.mark.parametrize("free", [10**9, None])
def test_nothing_is_trained_for_a_graph_that_is_small(
    free: int | None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.core.memory.available_bytes", lambda: free)
    monkeypatch.setattr("homogcl.advice.estimate.memory_needed", pytest.fail)
    check_memory(run, pytest.fail)


@pytest.mark.parametrize("answer", [True, False, None])
def test_hours_are_announced_and_asked_for(
    answer: bool | None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.cli.forecast.NODE_SECONDS", 10.0)
    monkeypatch.setattr("homogcl.advice.estimate.estimate", lambda *_: Estimate(7200.0, 1))
    lines: list[str] = []
    confirm = None if answer is None else lambda question: answer
    if answer is False:
        with pytest.raises(UserError, match="not trained: fewer --epochs"):
            check_time(run, lines.append, confirm)
    else:
        check_time(run, lines.append, confirm)
    assert lines == ["training grace on graph takes about 2 hours on this machine"]


@pytest.mark.parametrize(("of_node", "seconds"), [(1e-9, 7200.0), (10.0, 3000.0)])
def test_nobody_is_asked_before_minutes(
    of_node: float, seconds: float, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.cli.forecast.NODE_SECONDS", of_node)
    monkeypatch.setattr("homogcl.advice.estimate.estimate", lambda *_: Estimate(seconds, 1))
    check_time(run, pytest.fail, pytest.fail)


@pytest.mark.parametrize(
    ("nodes", "epochs", "batch", "asks"),
    [
        (2708, 200, "full", False),
        (40_000, 100, "full", True),  # hours, if all pairs are compared
        (40_000, 100, "parts", False),
        (1_000_000, 10, "parts", True),
    ],
)
def test_only_what_cannot_take_an_hour_is_not_estimated(
    nodes: int, epochs: int, batch: str, asks: bool
) -> None:
    settings = resolve("grace", "", {"epochs": epochs, "batch": batch})
    none = torch.empty(2, 0, dtype=torch.long)
    graph = Data(x=torch.zeros(1, 1).expand(nodes, 1), edge_index=none, num_nodes=nodes)
    assert (most_seconds(Run.of("grace", settings, graph)) >= HOUR) == asks


def test_neighbors_of_other_classes_are_warned_of_in_one_line() -> None:
    graph = citation_graph(300, 3, 40, homophily=0.3)
    lines = neighbor_warning(Run.of("grace", resolve("grace", ""), graph))
    assert len(lines) == 1
    assert lines[0].startswith("warning: neighbors share a class little more often than chance")
    assert neighbor_warning(Run.of("homogcl", resolve("homogcl", ""), graph)) == []
    alike = citation_graph(300, 3, 40, homophily=0.9)
    assert neighbor_warning(Run.of("grace", resolve("grace", ""), alike)) == []


def test_without_labels_edges_are_held_out_unless_epochs_are_few() -> None:
    graph = citation_graph(400, 3, 40, homophily=0.9)
    random = torch.randint(400, (2, 1000), generator=torch.Generator().manual_seed(0))
    bare = Data(x=graph.x, edge_index=undirected(random, 400)[0])
    run = Run.of("grace", resolve("grace", ""), bare)
    assert neighbor_warning(run.of_length(2)) == []
    (line,) = neighbor_warning(run)
    assert "hardly more alike than other nodes" in line


def test_a_graph_on_disk_is_not_summed_up_for_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = citation_graph(300, 3, 40, homophily=0.3)
    mapped = open_mapped(write_mapped(graph, tmp_path / "graph"))
    monkeypatch.setattr("homogcl.cli.forecast.FEW_EPOCHS", 0)
    monkeypatch.setattr("homogcl.data.summary.summarize", pytest.fail)
    monkeypatch.setattr("homogcl.advice.neighborhoods.likeness", pytest.fail)
    assert neighbor_warning(Run.of("grace", resolve("grace", ""), mapped)) == []


def said_after(seconds: list[float], total: int) -> dict[int, str]:
    """What was said, by the epoch after which it was."""
    lines: dict[int, str] = {}
    number = 0

    def say(line: str) -> None:
        lines[number] = line

    follow = TimeLeft(say)
    for number, taken in enumerate(seconds, 1):
        follow(Epoch(number, total, 1.0, {}, taken))
    return lines


def test_the_time_left_is_said_once_after_the_first_epochs() -> None:
    assert FIRST_EPOCHS == 3
    assert said_after([5.0, 1.0, 1.0, 1.0, 9.0], 303) == {3: "about 5 minutes left"}


def test_long_epochs_are_not_waited_for() -> None:
    assert said_after([30.0, 30.0], 21) == {1: "about 10 minutes left"}


def test_a_short_training_gets_no_line() -> None:
    assert said_after([0.1] * 50, 50) == {}
    assert said_after([1.0, 1.0, 1.0, 1.0], 62) == {}  # 59 seconds left


def test_a_resumed_training_counts_what_is_left_of_it() -> None:
    lines: list[str] = []
    follow = TimeLeft(lines.append)
    for number in (98, 99, 100):
        follow(Epoch(number, 400, 1.0, {}, 1.0))
    assert lines == ["about 5 minutes left"]


def test_the_first_epoch_counts_only_where_it_is_alone() -> None:
    assert seconds_left([8.0], 10) == 80.0
    assert seconds_left([8.0, 1.0, 3.0], 10) == 20.0
