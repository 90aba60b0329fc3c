"""A requirement that fails says what is wrong; an interrupted training really stops."""

from __future__ import annotations

import pytest
from torch_geometric.data import Data

from homogcl.testing.candidate import candidate
from homogcl.testing.contract import ContractBroken, require, resumed
from tests.broken import Linear
from tests.graphs import same


def test_requirement_is_silent_if_met_and_names_the_problem_if_not() -> None:
    require(True, "nothing")
    with pytest.raises(ContractBroken, match="the sum is 3"):
        require(False, "the sum is 3")
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
