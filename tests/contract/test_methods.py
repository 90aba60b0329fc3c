"""What every method promises, checked on every registered one and under every plug-in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch_geometric.data import Data

from homogcl.checkpoint import Checkpoints
from homogcl.methods import build, config_classes, method_class, method_names, plugin_names, summary
from homogcl.methods.base import Method, Sizes, total
from homogcl.presets import Settings, resolve
from homogcl.streams import stream
from homogcl.train import Epoch, TrainConfig, embeddings, fit, without_labels
from tests.graphs import permuted, same, snapshot, with_isolated

BASES = method_names()
PLUGGED = [
    f"{base}+{plugin}"
    for base in BASES
    if method_class(base).expands_positives
    for plugin in plugin_names()
]
ALL = [*BASES, *PLUGGED]


def small(name: str) -> Settings:
    """The preset of a method for an unknown graph, at a width that is quick."""
    preset = resolve(name, "my-graph")
    widths = {
        key: 16
        for key, value in preset.method.items()
        if key.endswith("_dim") and isinstance(value, int) and value > 16
    }
    return resolve(name, "my-graph", widths)


def new(name: str, graph: Data, seed: int = 0) -> Method:
    return build(name, small(name).method, Sizes.of(graph), seed)


def schedule(name: str, epochs: int) -> TrainConfig:
    """The preset's training, shorter and at a rate that shows in a few steps."""
    quick = {"epochs": epochs, "learning_rate": 0.01, "warmup_epochs": 0}
    return small(name).train.model_copy(update=quick)


def trained(name: str, graph: Data, seed: int = 0, epochs: int = 3) -> Method:
    return fit(new(name, graph, seed), graph, schedule(name, epochs), seed=seed)


def is_trainable(name: str) -> bool:
    method = build(name, small(name).method, Sizes(nodes=60, features=16, classes=3), seed=0)
    return any(parameter.requires_grad for parameter in method.parameters())


def is_transductive(name: str) -> bool:
    return method_class(name.partition("+")[0]).transductive


TRAINABLE = [name for name in ALL if is_trainable(name)]
INDUCTIVE = [name for name in ALL if not is_transductive(name)]


@pytest.mark.parametrize("name", ALL)
def test_declares_what_it_is(name: str, block_graph: Data) -> None:
    method = new(name, block_graph)
    assert method.name.strip() == method.name != ""
    assert set(method.training_data.split(", ")) <= {"X", "A", "Y"}
    for config in config_classes(name):
        assert config.model_config["frozen"]
        assert config.model_config["extra"] == "forbid"


@pytest.mark.parametrize("name", BASES)
def test_docstring_starts_with_one_sentence(name: str) -> None:
    assert method_class(name).__doc__
    assert summary(name).endswith(".")


def test_no_two_methods_share_a_display_name() -> None:
    names = [method_class(name).name for name in BASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", TRAINABLE)
def test_loss_falls(name: str, block_graph: Data) -> None:
    epochs: list[Epoch] = []
    config = schedule(name, 30)
    fit(new(name, block_graph), block_graph, config, seed=0, on_epoch=epochs.append)
    losses = [epoch.loss for epoch in epochs]
    assert len(losses) == 30
    # Each step draws other views: five steps together say more than one.
    assert sum(losses[-5:]) < sum(losses[:5])


@pytest.mark.parametrize("name", TRAINABLE)
def test_gradients_reach_every_trainable_parameter_and_no_frozen_one(
    name: str, block_graph: Data
) -> None:
    method = new(name, block_graph)
    graph = block_graph if "Y" in method.training_data else without_labels(block_graph)
    method.prepare(graph, stream(0, "prepare"))
    rng = stream(0, "augment")
    method.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(3):
            terms = method.objective(method.views(graph, rng))
            assert all(term.dim() == 0 for term in terms.values())
            torch.autograd.backward(total(terms, method.term_weights()))
    for key, parameter in method.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, key
            assert bool(parameter.grad.isfinite().all()), key
            assert bool((parameter.grad != 0).any()), key
        else:
            assert parameter.grad is None, key


@pytest.mark.parametrize("name", ALL)
def test_embeddings_are_finite_and_nothing_in_them_is_random(name: str, block_graph: Data) -> None:
    method = trained(name, block_graph)
    z = embeddings(method, block_graph)
    assert z.dim() == 2
    assert z.size(0) == block_graph.num_nodes
    assert z.dtype == torch.float32
    assert z.layout == torch.strided
    assert bool(z.isfinite().all())
    torch.manual_seed(1)
    assert torch.equal(embeddings(method, block_graph), z)


@pytest.mark.parametrize("name", PLUGGED)
def test_embeddings_that_the_plug_in_clusters_are_differentiable(
    name: str, block_graph: Data
) -> None:
    method = new(name, block_graph)
    method.prepare(without_labels(block_graph), stream(0, "prepare"))
    assert method.embed(without_labels(block_graph)).requires_grad


@pytest.mark.parametrize("name", INDUCTIVE)
def test_renumbering_the_nodes_renumbers_the_embeddings(name: str, block_graph: Data) -> None:
    method = trained(name, block_graph)
    order = torch.randperm(60, generator=torch.Generator().manual_seed(0))
    z = embeddings(method, block_graph)
    moved = embeddings(method, permuted(block_graph, order))
    torch.testing.assert_close(moved, z[order], rtol=1e-4, atol=1e-5 * float(z.abs().max()))


@pytest.mark.parametrize("name", ALL)
def test_graph_is_left_as_it_was(name: str, block_graph: Data) -> None:
    before = snapshot(block_graph)
    embeddings(trained(name, block_graph), block_graph)
    assert same(snapshot(block_graph), before)


@pytest.mark.parametrize("name", ALL)
def test_same_seed_gives_the_same_bits(name: str, block_graph: Data) -> None:
    methods = []
    for noise in (0, 1):
        torch.manual_seed(noise)
        methods.append(trained(name, block_graph, seed=2))
    assert same(*(method.state_dict() for method in methods))
    assert torch.equal(*(embeddings(method, block_graph) for method in methods))


@pytest.mark.parametrize("name", TRAINABLE)
def test_another_seed_gives_others(name: str, block_graph: Data) -> None:
    first, second = (trained(name, block_graph, seed=seed) for seed in (2, 3))
    assert not torch.equal(embeddings(first, block_graph), embeddings(second, block_graph))


@pytest.mark.parametrize("name", ALL)
def test_state_goes_through_a_file(name: str, block_graph: Data, tmp_path: Path) -> None:
    method = trained(name, block_graph)
    state: dict[str, Tensor] = method.state_dict()
    save_file({key: value.contiguous() for key, value in state.items()}, tmp_path / "model")
    other = new(name, block_graph, seed=1)
    graph = block_graph if "Y" in other.training_data else without_labels(block_graph)
    other.prepare(graph, stream(0, "prepare"))
    other.load_state_dict(load_file(tmp_path / "model"))
    assert same(dict(other.state_dict()), dict(state))
    assert torch.equal(embeddings(other, block_graph), embeddings(method, block_graph))


class Interrupted(Exception):
    """The training was cut off."""


@pytest.mark.parametrize("name", TRAINABLE)
def test_interrupted_training_ends_at_the_same_bits(
    name: str, block_graph: Data, tmp_path: Path
) -> None:
    whole = trained(name, block_graph, epochs=5)

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise Interrupted

    def run(on_epoch: Callable[[Epoch], None] | None) -> Method:
        checkpoints = Checkpoints(tmp_path, "a", every=2)
        config = schedule(name, 5)
        method = new(name, block_graph)
        return fit(method, block_graph, config, seed=0, checkpoints=checkpoints, on_epoch=on_epoch)

    with pytest.raises(Interrupted):
        run(interrupt)
    method = run(None)
    assert same(method.state_dict(), whole.state_dict())
    assert torch.equal(embeddings(method, block_graph), embeddings(whole, block_graph))


@pytest.mark.parametrize("name", ALL)
def test_isolated_nodes_are_embedded(name: str, block_graph: Data) -> None:
    graph = with_isolated(block_graph, 3)
    z = embeddings(trained(name, graph), graph)
    assert z.size(0) == 63
    assert bool(z.isfinite().all())


@pytest.mark.parametrize("name", ALL)
def test_sparse_features_do_what_dense_ones_do(name: str, block_graph: Data) -> None:
    block_graph.x = block_graph.x.relu()
    sparse = block_graph.clone()
    sparse.x = block_graph.x.to_sparse_csr()
    method = trained(name, sparse)
    z = embeddings(method, sparse)
    plain = embeddings(method, block_graph)
    torch.testing.assert_close(z, plain, rtol=1e-4, atol=1e-5 * float(plain.abs().max()))
