"""Which checks apply to which methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch_geometric.data import Data

from homogcl.methods.base import Method
from homogcl.testing import batches, checks, pairs
from homogcl.testing.candidate import Candidate
from homogcl.testing.graphs import block_graph

Check = Callable[[Candidate, Data], None]


def _always(method: Method) -> bool:
    return True


def _trains(method: Method) -> bool:
    return any(parameter.requires_grad for parameter in method.parameters())


def _trains_on_batches(method: Method) -> bool:
    return _trains(method) and method.takes_batches


def _trains_on_the_whole_graph(method: Method) -> bool:
    return _trains(method) and not method.takes_batches


def _is_inductive(method: Method) -> bool:
    return not method.transductive


def _takes_positives(method: Method) -> bool:
    return bool(method.combines)


def _wraps_another(method: Method) -> bool:
    return isinstance(getattr(method, "base", None), Method)


# Each check, and which methods it applies to.
CHECKS: dict[Check, Callable[[Method], bool]] = {
    checks.declares_what_it_is: _always,
    checks.loss_falls: _trains,
    checks.gradients_reach_what_is_trained: _trains,
    checks.embeddings_are_finite_and_nothing_in_them_is_random: _always,
    checks.last_layer_gives_the_embeddings: _always,
    checks.embeddings_are_differentiable: _takes_positives,
    checks.undeclared_ways_of_combining_are_refused: _takes_positives,
    pairs.plugin_leaves_the_views_of_its_base: _wraps_another,
    checks.renumbering_the_nodes_renumbers_the_embeddings: _is_inductive,
    checks.graph_is_left_as_it_was: _always,
    checks.same_seed_gives_the_same_bits: _always,
    checks.another_seed_gives_others: _trains,
    checks.state_goes_through_a_file: _always,
    checks.interrupted_training_ends_at_the_same_bits: _trains,
    checks.isolated_nodes_are_embedded: _always,
    checks.sparse_features_do_what_dense_ones_do: _always,
    checks.embeddings_in_blocks_are_those_of_the_whole_graph: _always,
    batches.loss_falls_on_batches_too: _trains_on_batches,
    batches.batches_interrupted_between_epochs_end_at_the_same_bits: _trains_on_batches,
    batches.batches_are_refused_where_a_step_needs_the_whole_graph: _trains_on_the_whole_graph,
}


def checks_of(candidate: Candidate) -> Iterator[tuple[str, Check]]:
    """Yield the checks that apply to a candidate, with their names."""
    method = candidate.new(block_graph())
    for check, applies in CHECKS.items():
        if applies(method):
            yield check.__name__, check
