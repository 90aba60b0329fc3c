"""The checks of batches: a method learns from parts of the graph, or refuses them by name."""

from __future__ import annotations

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.inference import embeddings
from homogcl.testing.candidate import Candidate
from homogcl.testing.contract import ContractBroken, require, resumed
from homogcl.testing.graphs import same
from homogcl.training.loop import Epoch, fit

_PARTS = {"batch": "parts", "batch_size": 20}
_NEIGHBORS = {"batch": "neighbors", "batch_size": 20, "fanout": (3, 2)}


def loss_falls_on_batches_too(candidate: Candidate, graph: Data) -> None:
    """Twelve epochs of three random parts lower the loss."""
    epochs: list[Epoch] = []
    config = candidate.schedule(12).model_copy(update=_PARTS)
    method = fit(candidate.new(graph), graph, config, seed=0, on_epoch=epochs.append)
    losses = [epoch.loss for epoch in epochs]
    early, late = sum(losses[:4]) / 4, sum(losses[-4:]) / 4
    require(late < early, f"the loss went from {early:.4g} to {late:.4g} in 12 epochs")
    require(bool(embeddings(method, graph).isfinite().all()), "embed gives NaN or infinity")


def batches_interrupted_between_epochs_end_at_the_same_bits(
    candidate: Candidate, graph: Data
) -> None:
    """A resumed training on sampled neighbors ends at the same bits as one without a break."""
    config = candidate.schedule(4).model_copy(update=_NEIGHBORS)
    whole = fit(candidate.new(graph), graph, config, seed=0)
    again = resumed(candidate, graph, config)
    require(same(again.state_dict(), whole.state_dict()), "a resumed training ends elsewhere")


def batches_are_refused_where_a_step_needs_the_whole_graph(
    candidate: Candidate, graph: Data
) -> None:
    """A method that does not take batches says so by its name."""
    method = candidate.new(graph)
    config = candidate.schedule(2).model_copy(update=_PARTS)
    try:
        fit(method, graph, config, seed=0)
    except UserError as error:
        require(method.name in str(error), f"the refusal does not name it: {error}")
    else:
        raise ContractBroken("it was trained on batches, which it does not take")
