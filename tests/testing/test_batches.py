"""The checks of batches pass a method that keeps the contract, and name one that does not."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Positives
from homogcl.testing.batches import (
    batches_are_refused_where_a_step_needs_the_whole_graph,
    batches_interrupted_between_epochs_end_at_the_same_bits,
    loss_falls_on_batches_too,
)
from homogcl.testing.candidate import candidate
from homogcl.testing.contract import ContractBroken
from tests.broken import Climbs, Linear


class Whole(Linear):
    """A step needs the whole graph."""

    name = "Whole"
    takes_batches = False


class Drifts(Linear):
    """Its loss depends on the number of calls, which no checkpoint holds."""

    calls = 0

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        self.calls += 1
        return {name: self.calls * term for name, term in super().objective(views).items()}


class Explodes(Linear):
    """Its embeddings are not finite."""

    def embed(self, graph: Data) -> Tensor:
        z = super().embed(graph)
        return z if self.training else z / torch.zeros(())


def test_loss_that_rises_is_named(block_graph: Data) -> None:
    loss_falls_on_batches_too(candidate(Linear), block_graph)
    with pytest.raises(ContractBroken, match=r"the loss went from .* in 12 epochs"):
        loss_falls_on_batches_too(candidate(Climbs), block_graph)


def test_embeddings_that_are_not_finite_are_named(block_graph: Data) -> None:
    with pytest.raises(ContractBroken, match="embed gives NaN or infinity"):
        loss_falls_on_batches_too(candidate(Explodes), block_graph)


def test_training_that_goes_on_elsewhere_is_named(block_graph: Data) -> None:
    batches_interrupted_between_epochs_end_at_the_same_bits(candidate(Linear), block_graph)
    with pytest.raises(ContractBroken, match="a resumed training ends elsewhere"):
        batches_interrupted_between_epochs_end_at_the_same_bits(candidate(Drifts), block_graph)


def test_method_that_takes_batches_is_not_refused(block_graph: Data) -> None:
    batches_are_refused_where_a_step_needs_the_whole_graph(candidate(Whole), block_graph)
    with pytest.raises(ContractBroken, match="it was trained on batches, which it does not take"):
        batches_are_refused_where_a_step_needs_the_whole_graph(candidate(Linear), block_graph)
