"""Promises that are broken say what is wrong; a training is really cut in two."""

from __future__ import annotations

import pytest
from torch_geometric.data import Data

from homogcl.testing.candidate import candidate
from homogcl.testing.promise import ContractBroken, hold, resumed
from tests.broken import Linear
from tests.graphs import same


def test_promise_is_kept_in_silence_and_broken_with_a_reason() -> None:
    hold(True, "nothing")
    with pytest.raises(ContractBroken, match="the sum is 3"):
        hold(False, "the sum is 3")
    assert issubclass(ContractBroken, AssertionError)


class Counts(Linear):
    """Counts its steps over all objects of the class."""

    steps = 0

    def after_step(self, progress: float) -> None:
        Counts.steps += 1


def test_training_is_cut_off_in_epoch_3_and_goes_on_from_the_checkpoint_of_epoch_2(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counts, "steps", 0)
    each = candidate(Counts)
    method = resumed(each, block_graph, each.schedule(5))
    assert Counts.steps == 3 + 3
    whole = each.trained(block_graph, epochs=5)
    assert same(dict(method.state_dict()), dict(whole.state_dict()))


def test_training_that_never_reaches_epoch_3_is_named(block_graph: Data) -> None:
    each = candidate(Linear)
    with pytest.raises(ContractBroken, match="did not reach epoch 3"):
        resumed(each, block_graph, each.schedule(2))
