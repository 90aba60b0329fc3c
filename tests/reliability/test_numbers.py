"""NaN and infinity: training stops with the step and the name, and the last good state stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.methods.base import Method, Sizes
from homogcl.training.checkpoint import Checkpoints, State
from homogcl.training.loop import NotFinite, TrainConfig, fit
from tests.graphs import same
from tests.reliability.conftest import Count
from tests.reliability.processes import command
from tests.toys import Breaking, Toy


def restored(folder: Path, graph: Data) -> tuple[Method, int]:
    """The method of the newest checkpoint, and its epoch."""
    toy = Toy(Sizes.of(graph))
    state = State(toy, torch.optim.Adam([toy.weight]), torch.Generator())
    with torch.random.fork_rng(devices=[]):
        checkpoints = Checkpoints(folder)
        epoch = checkpoints.put_back(state, checkpoints.newest())
    return toy, epoch


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("loss", "step 3: the term 'distance' is nan"),
        ("gradient", "step 3: the gradient of weight is not finite"),
    ],
)
def test_the_last_good_state_is_the_checkpoint(
    where: str, said: str, block_graph: Data, tmp_path: Path, count: Count
) -> None:
    config, kept = TrainConfig(epochs=9), Checkpoints(tmp_path, every=1)
    with pytest.raises(NotFinite, match=said):
        fit(Breaking(Sizes.of(block_graph), where), block_graph, config, seed=0, checkpoints=kept)
    toy, epoch = restored(tmp_path, block_graph)
    good = fit(Toy(Sizes.of(block_graph)), block_graph, TrainConfig(epochs=2), seed=0)
    assert epoch == 2
    assert same(toy.state_dict(), good.state_dict())
    count("number that is not finite", rounds=1, survived=1)


class Clamped(Toy):
    """Its loss and its gradient stay small wherever its weights go."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        """Return the sum of the clamped weights."""
        return {"sum": self.weight.clamp(-2, 2).sum()}


def test_a_step_out_of_all_numbers_is_not_kept(
    block_graph: Data, tmp_path: Path, count: Count
) -> None:
    # Each step multiplies the weights by 1 minus rate times decay.
    config = TrainConfig(epochs=9, learning_rate=1e6, weight_decay=1e6, optimizer="adamw")
    kept = Checkpoints(tmp_path, every=1)
    with pytest.raises(NotFinite, match="at step 4: weight is no longer finite"):
        fit(Clamped(Sizes.of(block_graph)), block_graph, config, seed=0, checkpoints=kept)
    toy, epoch = restored(tmp_path, block_graph)
    assert epoch == 3
    assert all(value.isfinite().all() for value in toy.state_dict().values())
    count("number that is not finite", rounds=1, survived=1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("sparse", [False, True])
def test_features_that_are_no_numbers_are_named(
    value: float, sparse: bool, block_graph: Data, count: Count
) -> None:
    block_graph.x[7, 3] = value
    if sparse:
        block_graph.x = block_graph.x.to_sparse_csr()
    said = f"before step 1: x: the features of node 7 hold {value} in column 3"
    with pytest.raises(NotFinite, match=said):
        fit(Toy(Sizes.of(block_graph)), block_graph, TrainConfig(epochs=1), seed=0)
    count("number that is not finite", rounds=1, survived=1)


def test_a_rate_far_too_high_is_one_line_of_the_command(tmp_path: Path, count: Count) -> None:
    words = ["train", "grace", "tiny", "--out", "run", "--save-every", "1", "--set", "epochs=9"]
    for setting in ("learning_rate=1e6", "weight_decay=1e6", "optimizer=adamw", "hidden_dim=8"):
        words += ["--set", setting]
    ended = command(tmp_path, *words)
    assert ended.code == 2
    assert re.match(r"error: training stopped at step \d: .* (nan|inf|finite)", ended.line)
    for path in (tmp_path / "run" / "checkpoint").glob("*.pt"):
        for value in torch.load(path, weights_only=True)["method"].values():
            assert value.isfinite().all()
    count("number that is not finite", rounds=1, survived=1)
