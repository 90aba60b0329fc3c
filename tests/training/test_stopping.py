"""Stopping without labels: the rule by itself, in a training, and across an interruption."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.homophily.selection import rank_of_directions
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.runs.grid import run_cell
from homogcl.runs.request import Request
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit
from homogcl.training.stopping import CHECK_EVERY, has_settled

SETTLE = 0.02
SMALL = {"hidden_dim": 16, "out_dim": 8}


def trained(
    graph: Data, epochs: int, settle: float, checkpoints: Checkpoints | None = None, seed: int = 0
) -> tuple[Method, list[int]]:
    """Return a small method and the epochs that were trained now."""
    method = build("grace", SMALL, Sizes.of(graph), seed)
    numbers: list[int] = []

    def follow(epoch: Epoch) -> None:
        numbers.append(epoch.number)

    config = TrainConfig(epochs=epochs, settle=settle, learning_rate=0.01)
    fit(method, graph, config, seed=seed, on_epoch=follow, checkpoints=checkpoints)
    return method, numbers


@pytest.mark.parametrize(
    ("ranks", "settled"),
    [([], False), ([5.0], False), ([5.0, 5.2], False), ([5.0, 5.04], True), ([5.0, 4.96], True)],
)
def test_two_looks_that_hardly_differ_are_settled(ranks: list[float], settled: bool) -> None:
    assert has_settled(ranks, 0.01) == settled


def test_nothing_settles_below_no_change() -> None:
    assert not has_settled([5.0, 5.0], 0.0)


def test_training_ends_where_the_rank_first_stands_still(block_graph: Data) -> None:
    looks: list[float] = []
    for epochs in range(CHECK_EVERY, 400, CHECK_EVERY):
        method, _ = trained(block_graph, epochs, settle=0.0)
        looks.append(rank_of_directions(embeddings(method, block_graph)))
        if has_settled(looks, SETTLE):
            break
    expected = CHECK_EVERY * len(looks)
    assert CHECK_EVERY < expected < 390
    method, numbers = trained(block_graph, 400, settle=SETTLE)
    assert numbers == list(range(1, expected + 1))
    oracle, _ = trained(block_graph, expected, settle=0.0)
    assert torch.equal(embeddings(method, block_graph), embeddings(oracle, block_graph))


def test_a_resumed_training_settles_at_the_same_epoch(block_graph: Data, tmp_path: Path) -> None:
    whole, numbers = trained(block_graph, 400, SETTLE)
    last = numbers[-1]
    # As if it had been killed in the middle of two looks.
    checkpoints = Checkpoints(tmp_path, every=1)
    trained(block_graph, last - 4, SETTLE, checkpoints)
    again, rest = trained(block_graph, 400, SETTLE, checkpoints)
    assert rest == list(range(last - 3, last + 1))
    assert torch.equal(embeddings(again, block_graph), embeddings(whole, block_graph))
    done, none = trained(block_graph, 400, SETTLE, checkpoints)
    assert none == []
    assert torch.equal(embeddings(done, block_graph), embeddings(whole, block_graph))


def test_a_record_says_when_its_run_settled(tmp_path: Path) -> None:
    settings = {**SMALL, "epochs": 60, "settle": 0.9}
    request = Request("grace", "demo", 0, settings, tasks=("probe",))
    record, _ = run_cell(request.resolve(), tmp_path)
    assert record.epochs == 2 * CHECK_EVERY
    assert record.metrics["epochs"] == 2 * CHECK_EVERY
    unsettled = replace(request, overrides={**SMALL, "epochs": 20})
    full, _ = run_cell(unsettled.resolve(), tmp_path)
    assert "epochs" not in full.metrics
    assert full.epochs == 20
