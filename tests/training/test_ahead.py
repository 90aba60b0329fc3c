"""What a thread makes ahead comes in its order, once, and never leaves a thread behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build
from homogcl.training.ahead import ahead
from homogcl.training.loop import Epoch, NotFinite, TrainConfig, fit
from tests.graphs import same


def threads() -> int:
    return sum(thread.name == "batches ahead" for thread in threading.enumerate())


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_elements_come_in_their_order(depth: int, count: int) -> None:
    with ahead(iter(range(count)), depth) as elements:
        assert list(elements) == list(range(count))
        assert elements.waited >= 0
    assert threads() == 0


def test_the_next_element_is_made_while_one_is_used() -> None:
    is_begun, is_used = threading.Event(), threading.Event()

    def source() -> Iterator[str]:
        yield "first"
        is_begun.set()
        # Ends only if the first one is used meanwhile.
        assert is_used.wait(timeout=30)
        yield "second"

    with ahead(source()) as elements:
        for element in elements:
            if element == "first":
                assert is_begun.wait(timeout=30)
                is_used.set()


@pytest.mark.parametrize("depth", [1, 3])
def test_no_more_than_a_few_are_made_ahead(depth: int) -> None:
    made = 0

    def source() -> Iterator[int]:
        nonlocal made
        for number in range(50):
            made += 1
            yield number

    with ahead(source(), depth) as elements:
        for number in elements:
            assert made <= number + 1 + depth
    assert made == 50


def test_an_error_of_the_thread_is_raised_where_its_element_is_asked_for() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise OSError("the disk is gone")

    taken: list[int] = []
    with pytest.raises(OSError, match="the disk is gone"), ahead(source()) as elements:
        taken.extend(elements)
    assert taken == [1]
    assert threads() == 0


def test_an_early_end_leaves_no_thread() -> None:
    with ahead(iter(range(1000))) as elements:
        assert next(iter(elements)) == 0
    with pytest.raises(KeyboardInterrupt), ahead(iter(range(1000))):
        raise KeyboardInterrupt
    assert threads() == 0


@pytest.mark.parametrize("kind", ["parts", "neighbors", "metis"])
def test_a_training_that_reads_ahead_has_the_same_bits(
    kind: str, block_graph: Data, tmp_path: Path
) -> None:
    opened = open_mapped(write_mapped(block_graph, tmp_path / "graph"))
    config = TrainConfig.model_validate({"epochs": 3, "batch": kind, "batch_size": 20})
    states, epochs = [], []
    for graph in (block_graph, opened):
        method = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(graph), seed=0)
        done: list[Epoch] = []
        states.append(fit(method, graph, config, seed=0, on_epoch=done.append).state_dict())
        epochs.append(done)
    assert same(*states)
    in_memory, on_disk = epochs
    assert [epoch.loss for epoch in in_memory] == [epoch.loss for epoch in on_disk]
    assert all(epoch.waiting is None for epoch in in_memory)
    assert all(0 <= (epoch.waiting or 0.0) <= epoch.seconds for epoch in on_disk)
    assert all(epoch.waiting is not None for epoch in on_disk)
    assert threads() == 0


def test_a_step_that_stops_the_training_ends_the_thread(block_graph: Data, tmp_path: Path) -> None:
    block_graph.x = torch.full_like(block_graph.x, torch.nan)
    opened = open_mapped(write_mapped(block_graph, tmp_path / "graph"))
    method = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(opened), seed=0)
    config = TrainConfig(epochs=1, batch="parts", batch_size=10)
    with pytest.raises(NotFinite, match="training stopped at step 1"):
        fit(method, opened, config, seed=0)
    assert threads() == 0
