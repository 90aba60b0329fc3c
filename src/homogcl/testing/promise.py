"""What the checks are made of: a promise that holds or is broken, and a training cut in two."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from torch_geometric.data import Data

from homogcl.methods.base import Method
from homogcl.testing.candidate import Candidate
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit


class ContractBroken(AssertionError):
    """A method does not do what every method promises."""


def hold(kept: bool, otherwise: str) -> None:
    """Raise `ContractBroken` with what is wrong unless the promise was kept."""
    if not kept:
        raise ContractBroken(otherwise)


def resumed(each: Candidate, graph: Data, config: TrainConfig) -> Method:
    """Return the method after a training that was cut off in epoch 3 and begun again.

    Checkpoints are two epochs apart, so that the second training repeats one.
    """

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise _Interrupted

    cut = False
    with TemporaryDirectory() as folder:
        kept = Checkpoints(Path(folder), every=2)
        try:
            fit(each.new(graph), graph, config, seed=0, checkpoints=kept, on_epoch=interrupt)
        except _Interrupted:
            cut = True
        hold(cut, "the training did not reach epoch 3")
        return fit(each.new(graph), graph, config, seed=0, checkpoints=kept)


class _Interrupted(Exception):
    """The training was cut off."""
