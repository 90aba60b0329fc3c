"""The parts of a check: a requirement, its error, and a training that is interrupted."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from torch_geometric.data import Data

from homogcl.methods.base import Method
from homogcl.testing.candidate import Candidate
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit


class ContractBroken(AssertionError):
    """A method breaks the contract of all methods."""


def require(condition: bool, problem: str) -> None:
    """Raise `ContractBroken` with `problem` unless `condition` is true."""
    if not condition:
        raise ContractBroken(problem)


def resumed(candidate: Candidate, graph: Data, config: TrainConfig) -> Method:
    """Return the method after a training that was interrupted in epoch 3 and resumed.

    Checkpoints are two epochs apart, so the resumed training repeats epoch 3.
    """

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise _Interrupted

    interrupted = False
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(Path(folder), every=2)
        try:
            fit(
                candidate.new(graph),
                graph,
                config,
                seed=0,
                checkpoints=checkpoints,
                on_epoch=interrupt,
            )
        except _Interrupted:
            interrupted = True
        require(interrupted, "the training did not reach epoch 3")
        return fit(candidate.new(graph), graph, config, seed=0, checkpoints=checkpoints)


class _Interrupted(Exception):
    """The training was interrupted."""
