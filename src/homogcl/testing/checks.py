"""The checks: each takes a candidate and a graph, and raises with what is wrong."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.homophily.positives import CannotCombine, Combine, Positives
from homogcl.methods.base import Method, total
from homogcl.methods.inference import embeddings, evaluation, training_graph, without_labels
from homogcl.testing.candidate import Candidate
from homogcl.testing.contract import require, resumed
from homogcl.testing.graphs import permuted, same, snapshot, with_isolated
from homogcl.training.loop import Epoch, fit


def declares_what_it_is(candidate: Candidate, graph: Data) -> None:
    """It has a name, training data, a docstring that starts with a sentence, frozen settings."""
    method = candidate.new(graph)
    require(method.name.strip() == method.name != "", f"its name is {method.name!r}")
    valid = set(method.training_data.split(", ")) <= {"X", "A", "Y"}
    require(valid, f"training_data is {method.training_data!r}, not of X, A, Y")
    first = (type(method).__doc__ or "").partition("\n")[0]
    require(first.endswith("."), "its docstring must start with one sentence that ends in a dot")
    config = type(method).Config.model_config
    require(
        config.get("frozen") is True,
        "its Config must be frozen: inherit homogcl.core.config.Config",
    )
    require(config.get("extra") == "forbid", "its Config must forbid unknown settings")


def loss_falls(candidate: Candidate, graph: Data) -> None:
    """Thirty steps lower the loss on the same draws."""
    before = _loss_on_fixed_draws(*candidate.prepared(graph))
    epochs: list[Epoch] = []
    method = candidate.new(graph)
    fit(method, graph, candidate.schedule(30), seed=0, on_epoch=epochs.append)
    require(len(epochs) == 30, f"{len(epochs)} of 30 steps were reported")
    after = _loss_on_fixed_draws(method, training_graph(method, graph))
    require(after < before, f"the loss went from {before:.4g} to {after:.4g} in 30 steps")


def _loss_on_fixed_draws(method: Method, graph: Data) -> float:
    """Return the mean loss over draws that are the same for every method and none of a training."""
    rng, losses = stream(1, "augment"), []
    method.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        for _ in range(5):
            terms = method.objective(method.views(graph, rng))
            losses.append(float(total(terms, method.term_weights()).detach()))
    return fmean(losses)


def gradients_reach_what_is_trained(candidate: Candidate, graph: Data) -> None:
    """Terms are scalars; every trainable parameter gets a gradient and no frozen one does."""
    method, part = candidate.prepared(graph)
    rng = stream(0, "augment")
    method.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(3):
            terms = method.objective(method.views(part, rng))
            for name, term in terms.items():
                require(term.dim() == 0, f"the term {name!r} is no scalar: {tuple(term.shape)}")
            torch.autograd.backward(total(terms, method.term_weights()))
    for key, parameter in method.named_parameters():
        gradient = parameter.grad
        if not parameter.requires_grad:
            require(gradient is None, f"{key} is frozen and has a gradient")
            continue
        require(gradient is not None, f"no gradient reaches {key}")
        assert gradient is not None
        require(bool(gradient.isfinite().all()), f"the gradient of {key} is not finite")
        require(bool((gradient != 0).any()), f"the gradient of {key} is 0")


def embeddings_are_finite_and_nothing_in_them_is_random(candidate: Candidate, graph: Data) -> None:
    """`embed` gives dense finite float32 [N, d'], the same at each call."""
    method = candidate.trained(graph)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        z = embeddings(method, graph)
    require(
        z.dim() == 2 and z.size(0) == graph.num_nodes, f"embed gives the shape {tuple(z.shape)}"
    )
    require(z.dtype == torch.float32, f"embed gives {z.dtype}")
    require(z.layout == torch.strided, f"embed gives {z.layout}")
    require(bool(z.isfinite().all()), "embed gives NaN or infinity")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        require(
            torch.equal(embeddings(method, graph), z), "embed gives another result at each call"
        )


def last_layer_gives_the_embeddings(candidate: Candidate, graph: Data) -> None:
    """`layer_outputs` gives a row per node in each layer, and ends in what `embed` gives."""
    method = candidate.trained(graph)
    with evaluation(method):
        *hidden, last = method.layer_outputs(graph)
        require(torch.equal(last, method.embed(graph)), "layer_outputs does not end in embed")
    for h in hidden:
        require(h.size(0) == graph.num_nodes, f"a layer has the shape {tuple(h.shape)}")


def embeddings_are_differentiable(candidate: Candidate, graph: Data) -> None:
    """Gradients flow through the embeddings, as plug-ins that cluster them need."""
    method = candidate.new(graph)
    method.prepare(without_labels(graph), stream(0, "prepare"))
    z = method.embed(without_labels(graph))
    require(z.requires_grad, "no gradient flows through embed, and plug-ins need one")


def undeclared_ways_of_combining_are_refused(candidate: Candidate, graph: Data) -> None:
    """It refuses, by its name, every way of combining neighbors that it does not declare."""
    method, part = candidate.prepared(graph)
    views = method.views(part, stream(0, "augment"))
    weight = torch.ones(part.edge_index.size(1))
    for way in sorted(set(Combine) - method.combines):
        try:
            method.objective(views, Positives(part.edge_index, weight, combine=way))
        except CannotCombine as error:
            require(method.name in str(error), f"the refusal of {way} does not name it: {error}")
        else:
            require(False, f"it does not declare {way!r} but accepts it: call accept(positives)")


def renumbering_the_nodes_renumbers_the_embeddings(candidate: Candidate, graph: Data) -> None:
    """The embeddings do not depend on the order of the nodes."""
    method = candidate.trained(graph)
    order = torch.randperm(60, generator=torch.Generator().manual_seed(0))
    z = embeddings(method, graph)
    renumbered = embeddings(method, permuted(graph, order))
    torch.testing.assert_close(renumbered, z[order], rtol=1e-4, atol=1e-5 * float(z.abs().max()))


def graph_is_left_as_it_was(candidate: Candidate, graph: Data) -> None:
    """Training and embedding do not change the graph."""
    before = snapshot(graph)
    embeddings(candidate.trained(graph), graph)
    require(same(snapshot(graph), before), "the graph was changed")


def same_seed_gives_the_same_bits(candidate: Candidate, graph: Data) -> None:
    """Two trainings with one seed agree, whatever the state of torch's own generator."""
    methods = []
    with torch.random.fork_rng(devices=[]):
        for noise in (0, 1):
            torch.manual_seed(noise)
            methods.append(candidate.trained(graph, seed=2))
    require(same(*(method.state_dict() for method in methods)), "one seed gave two states")
    first, second = (embeddings(method, graph) for method in methods)
    require(torch.equal(first, second), "one seed gave two embeddings")


def another_seed_gives_others(candidate: Candidate, graph: Data) -> None:
    """Trainings with two seeds differ."""
    first, second = (embeddings(candidate.trained(graph, seed=seed), graph) for seed in (2, 3))
    require(not torch.equal(first, second), "two seeds gave the same embeddings")


def state_goes_through_a_file(candidate: Candidate, graph: Data) -> None:
    """Saved weights, loaded into a new method, give the same embeddings."""
    method = candidate.trained(graph)
    state: dict[str, Tensor] = method.state_dict()
    other, _ = candidate.prepared(graph, seed=1)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save_file({key: value.contiguous() for key, value in state.items()}, path)
        other.load_state_dict(load_file(path))
    require(
        same(dict(other.state_dict()), dict(state)), "the state changed on its way through the file"
    )
    equal = torch.equal(embeddings(other, graph), embeddings(method, graph))
    require(equal, "embed needs something that is neither a parameter nor a buffer")


def interrupted_training_ends_at_the_same_bits(candidate: Candidate, graph: Data) -> None:
    """A training that stops in epoch 3 and resumes ends at the same bits as one without a break."""
    whole = candidate.trained(graph, epochs=5)
    method = resumed(candidate, graph, candidate.schedule(5))
    require(same(method.state_dict(), whole.state_dict()), "a resumed training ends elsewhere")
    equal = torch.equal(embeddings(method, graph), embeddings(whole, graph))
    require(equal, "a resumed training embeds differently")


def isolated_nodes_are_embedded(candidate: Candidate, graph: Data) -> None:
    """Nodes without edges get finite embeddings."""
    larger = with_isolated(graph, 3)
    z = embeddings(candidate.trained(larger), larger)
    require(z.size(0) == 63, f"{z.size(0)} of 63 nodes have an embedding")
    require(bool(z.isfinite().all()), "nodes without edges get NaN or infinity")


def sparse_features_do_what_dense_ones_do(candidate: Candidate, graph: Data) -> None:
    """Features in CSR format give the same embeddings as dense ones."""
    graph.x = graph.x.relu()
    sparse = graph.clone()
    sparse.x = graph.x.to_sparse_csr()
    method = candidate.trained(sparse)
    z = embeddings(method, sparse)
    plain = embeddings(method, graph)
    torch.testing.assert_close(z, plain, rtol=1e-4, atol=1e-5 * float(plain.abs().max()))


def embeddings_in_blocks_are_those_of_the_whole_graph(candidate: Candidate, graph: Data) -> None:
    """Computing layers for a few nodes at a time gives the same outputs of all layers."""
    method = candidate.trained(graph)
    z = embeddings(method, graph, "layers")
    blocked = embeddings(method, graph, "layers", block=17)
    torch.testing.assert_close(blocked, z, rtol=1e-6, atol=1e-6 * float(z.abs().max()))
