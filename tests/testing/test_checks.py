"""Each check names the method that breaks its part of the contract."""

import pytest
from torch_geometric.data import Data

from homogcl.methods.registry import Method
from homogcl.testing import ContractBroken, candidate, check_method
from homogcl.testing.checks import loss_falls
from tests.broken import (
    ChangesTheGraph,
    Climbs,
    CountsNodes,
    Dense,
    Detached,
    DrawsInEmbed,
    Forgets,
    ForgetsALayer,
    Gambles,
    LeavesAParameter,
    Lucky,
    MindsBlocks,
    TakesAnything,
    Undocumented,
    Vector,
)


@pytest.mark.parametrize(
    ("method", "check"),
    [
        (ChangesTheGraph, "graph_is_left_as_it_was"),
        (DrawsInEmbed, "nothing_in_them_is_random"),
        (LeavesAParameter, "gradients_reach_what_is_trained: no gradient reaches unused"),
        (Climbs, "loss_falls"),
        (Climbs, "loss_falls_on_batches_too"),
        (MindsBlocks, "embeddings_in_blocks_are_those_of_the_whole_graph"),
        (ForgetsALayer, "last_layer_gives_the_embeddings"),
        (CountsNodes, "renumbering_the_nodes"),
        (Forgets, "state_goes_through_a_file"),
        (Gambles, "same_seed_gives_the_same_bits"),
        (Vector, "gradients_reach_what_is_trained: the term 'distance' is no scalar"),
        (Dense, "sparse_features_do_what_dense_ones_do"),
        (Undocumented, "declares_what_it_is"),
        (Detached, "embeddings_are_differentiable"),
        (TakesAnything, "undeclared_ways_of_combining_are_refused"),
    ],
)
def test_broken_contract_is_named(method: type[Method], check: str) -> None:
    with pytest.raises(ContractBroken) as broken:
        check_method(method)
    assert check in str(broken.value)
    assert all(line.startswith(method.__name__) for line in str(broken.value).splitlines())


def test_luck_of_the_draw_is_no_fall_of_the_loss(block_graph: Data) -> None:
    with pytest.raises(ContractBroken, match="the loss went from"):
        loss_falls(candidate(Lucky), block_graph)
