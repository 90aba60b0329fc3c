"""The checks: each takes a candidate and a graph, and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.homophily.positives import CannotCombine, Combine, Positives
from homogcl.methods.base import Method, total
from homogcl.methods.inference import embeddings, without_labels
from homogcl.testing.batches import (
    batches_are_refused_where_a_step_needs_the_whole_graph,
    batches_interrupted_between_epochs_end_at_the_same_bits,
    loss_falls_on_batches_too,
)
from homogcl.testing.candidate import Candidate
from homogcl.testing.graphs import block_graph, permuted, same, snapshot, with_isolated
from homogcl.testing.promise import hold, resumed
from homogcl.training.loop import Epoch, fit

Check = Callable[[Candidate, Data], None]


def declares_what_it_is(each: Candidate, graph: Data) -> None:
    """A name, what it learns from, a docstring of one sentence first, and frozen settings."""
    method = each.new(graph)
    hold(method.name.strip() == method.name != "", f"its name is {method.name!r}")
    known = set(method.training_data.split(", ")) <= {"X", "A", "Y"}
    hold(known, f"training_data is {method.training_data!r}, not of X, A, Y")
    first = (type(method).__doc__ or "").partition("\n")[0]
    hold(first.endswith("."), "its docstring must start with one sentence that ends in a dot")
    config = type(method).Config.model_config
    hold(
        config.get("frozen") is True,
        "its Config must be frozen: inherit homogcl.core.config.Config",
    )
    hold(config.get("extra") == "forbid", "its Config must forbid unknown settings")


def loss_falls(each: Candidate, graph: Data) -> None:
    """Thirty steps lower the loss."""
    epochs: list[Epoch] = []
    fit(each.new(graph), graph, each.schedule(30), seed=0, on_epoch=epochs.append)
    losses = [epoch.loss for epoch in epochs]
    hold(len(losses) == 30, f"{len(losses)} of 30 steps were reported")
    # Each step draws other views: five steps together say more than one.
    early, late = sum(losses[:5]) / 5, sum(losses[-5:]) / 5
    hold(late < early, f"the loss went from {early:.4g} to {late:.4g} in 30 steps")


def gradients_reach_what_is_trained(each: Candidate, graph: Data) -> None:
    """Terms are scalars; every trainable parameter gets a gradient and no frozen one does."""
    method = each.new(graph)
    seen = _as_trained(method, graph)
    method.prepare(seen, stream(0, "prepare"))
    rng = stream(0, "augment")
    method.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(3):
            terms = method.objective(method.views(seen, rng))
            for name, term in terms.items():
                hold(term.dim() == 0, f"the term {name!r} is no scalar: {tuple(term.shape)}")
            torch.autograd.backward(total(terms, method.term_weights()))
    for key, parameter in method.named_parameters():
        gradient = parameter.grad
        if not parameter.requires_grad:
            hold(gradient is None, f"{key} is frozen and has a gradient")
            continue
        hold(gradient is not None, f"no gradient reaches {key}")
        assert gradient is not None
        hold(bool(gradient.isfinite().all()), f"the gradient of {key} is not finite")
        hold(bool((gradient != 0).any()), f"the gradient of {key} is 0")


def embeddings_are_finite_and_nothing_in_them_is_random(each: Candidate, graph: Data) -> None:
    """`embed` gives dense finite float32 [N, d'], the same whenever it is asked."""
    method = each.trained(graph)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        z = embeddings(method, graph)
    hold(z.dim() == 2 and z.size(0) == graph.num_nodes, f"embed gives the shape {tuple(z.shape)}")
    hold(z.dtype == torch.float32, f"embed gives {z.dtype}")
    hold(z.layout == torch.strided, f"embed gives {z.layout}")
    hold(bool(z.isfinite().all()), "embed gives NaN or infinity")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        hold(torch.equal(embeddings(method, graph), z), "embed gives something else each time")


def embeddings_are_differentiable(each: Candidate, graph: Data) -> None:
    """Plug-ins that cluster the embeddings send gradients through them."""
    method = each.new(graph)
    method.prepare(without_labels(graph), stream(0, "prepare"))
    z = method.embed(without_labels(graph))
    hold(z.requires_grad, "no gradient flows through embed, which plug-ins need")


def undeclared_ways_of_combining_are_refused(each: Candidate, graph: Data) -> None:
    """Neighbors that it cannot combine as asked are refused by name, never combined otherwise."""
    method = each.new(graph)
    seen = _as_trained(method, graph)
    method.prepare(seen, stream(0, "prepare"))
    views = method.views(seen, stream(0, "augment"))
    weight = torch.ones(seen.edge_index.size(1))
    for way in sorted(set(Combine) - method.combines):
        try:
            method.objective(views, Positives(seen.edge_index, weight, combine=way))
        except CannotCombine as error:
            hold(method.name in str(error), f"{way} is refused without its name: {error}")
        else:
            hold(False, f"it does not declare {way!r} and takes it: call accept(positives)")


def renumbering_the_nodes_renumbers_the_embeddings(each: Candidate, graph: Data) -> None:
    """The nodes' order says nothing."""
    method = each.trained(graph)
    order = torch.randperm(60, generator=torch.Generator().manual_seed(0))
    z = embeddings(method, graph)
    moved = embeddings(method, permuted(graph, order))
    torch.testing.assert_close(moved, z[order], rtol=1e-4, atol=1e-5 * float(z.abs().max()))


def graph_is_left_as_it_was(each: Candidate, graph: Data) -> None:
    """Training and embedding change nothing of the graph."""
    before = snapshot(graph)
    embeddings(each.trained(graph), graph)
    hold(same(snapshot(graph), before), "the graph was changed")


def same_seed_gives_the_same_bits(each: Candidate, graph: Data) -> None:
    """Two trainings with one seed agree, whatever torch's own generator was at."""
    methods = []
    with torch.random.fork_rng(devices=[]):
        for noise in (0, 1):
            torch.manual_seed(noise)
            methods.append(each.trained(graph, seed=2))
    hold(same(*(method.state_dict() for method in methods)), "one seed gave two states")
    first, second = (embeddings(method, graph) for method in methods)
    hold(torch.equal(first, second), "one seed gave two embeddings")


def another_seed_gives_others(each: Candidate, graph: Data) -> None:
    """The seed is used."""
    first, second = (embeddings(each.trained(graph, seed=seed), graph) for seed in (2, 3))
    hold(not torch.equal(first, second), "two seeds gave the same embeddings")


def state_goes_through_a_file(each: Candidate, graph: Data) -> None:
    """Saved weights, loaded into a new method, give the same embeddings."""
    method = each.trained(graph)
    state: dict[str, Tensor] = method.state_dict()
    other = each.new(graph, seed=1)
    other.prepare(_as_trained(other, graph), stream(0, "prepare"))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save_file({key: value.contiguous() for key, value in state.items()}, path)
        other.load_state_dict(load_file(path))
    hold(same(dict(other.state_dict()), dict(state)), "the state changed on its way")
    equal = torch.equal(embeddings(other, graph), embeddings(method, graph))
    hold(equal, "something that embed needs is in neither parameters nor buffers")


def interrupted_training_ends_at_the_same_bits(each: Candidate, graph: Data) -> None:
    """A training cut off at step 3 and resumed from its checkpoint ends as if it had not been."""
    whole = each.trained(graph, epochs=5)
    method = resumed(each, graph, each.schedule(5))
    hold(same(method.state_dict(), whole.state_dict()), "a resumed training ends elsewhere")
    equal = torch.equal(embeddings(method, graph), embeddings(whole, graph))
    hold(equal, "a resumed training embeds differently")


def isolated_nodes_are_embedded(each: Candidate, graph: Data) -> None:
    """Nodes without edges are ordinary."""
    more = with_isolated(graph, 3)
    z = embeddings(each.trained(more), more)
    hold(z.size(0) == 63, f"{z.size(0)} of 63 nodes have an embedding")
    hold(bool(z.isfinite().all()), "nodes without edges get NaN or infinity")


def sparse_features_do_what_dense_ones_do(each: Candidate, graph: Data) -> None:
    """`x` may be CSR."""
    graph.x = graph.x.relu()
    sparse = graph.clone()
    sparse.x = graph.x.to_sparse_csr()
    method = each.trained(sparse)
    z = embeddings(method, sparse)
    plain = embeddings(method, graph)
    torch.testing.assert_close(z, plain, rtol=1e-4, atol=1e-5 * float(plain.abs().max()))


def embeddings_in_blocks_are_those_of_the_whole_graph(each: Candidate, graph: Data) -> None:
    """Computing layers for a few nodes at a time changes nothing."""
    method = each.trained(graph)
    z = embeddings(method, graph)
    blocked = embeddings(method, graph, block=17)
    torch.testing.assert_close(blocked, z, rtol=1e-6, atol=1e-6 * float(z.abs().max()))


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


# Each check, and which methods it is for.
CHECKS: dict[Check, Callable[[Method], bool]] = {
    declares_what_it_is: _always,
    loss_falls: _trains,
    gradients_reach_what_is_trained: _trains,
    embeddings_are_finite_and_nothing_in_them_is_random: _always,
    embeddings_are_differentiable: _takes_positives,
    undeclared_ways_of_combining_are_refused: _takes_positives,
    renumbering_the_nodes_renumbers_the_embeddings: _is_inductive,
    graph_is_left_as_it_was: _always,
    same_seed_gives_the_same_bits: _always,
    another_seed_gives_others: _trains,
    state_goes_through_a_file: _always,
    interrupted_training_ends_at_the_same_bits: _trains,
    isolated_nodes_are_embedded: _always,
    sparse_features_do_what_dense_ones_do: _always,
    embeddings_in_blocks_are_those_of_the_whole_graph: _always,
    loss_falls_on_batches_too: _trains_on_batches,
    batches_interrupted_between_epochs_end_at_the_same_bits: _trains_on_batches,
    batches_are_refused_where_a_step_needs_the_whole_graph: _trains_on_the_whole_graph,
}


def checks_of(each: Candidate) -> Iterator[tuple[str, Check]]:
    """Return the checks that apply to a candidate, by name."""
    method = each.new(block_graph())
    for check, applies in CHECKS.items():
        if applies(method):
            yield check.__name__, check


def _as_trained(method: Method, graph: Data) -> Data:
    return graph if "Y" in method.training_data else without_labels(graph)
