from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids
from homogcl.homophily.plugins.base import NoPairPositives
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import CannotCombine, Positives
from homogcl.homophily.running_clusters import RunningClusters
from homogcl.losses.contrast.sampled import SampledColumns, stratified_columns
from homogcl.methods.base import Method, Sizes, total
from homogcl.methods.grace import GRACE
from homogcl.methods.registry import (
    build,
    config_classes,
    method_class,
    method_names,
    plugin,
    plugin_names,
    plugins_of,
)
from homogcl.presets.resolve import resolve
from homogcl.testing.candidate import Candidate
from homogcl.testing.contract import resumed
from homogcl.training.loop import TrainConfig, fit
from tests.graphs import same
from tests.plugged import SETTINGS, gradients, half_of, plugged

BASES = [name for name in method_names() if method_class(name).combines]
SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return half_of(block_graph)


@pytest.mark.parametrize("plugin", plugin_names())
@pytest.mark.parametrize("base", [name for name in method_names() if name not in BASES])
def test_base_without_pair_positives_is_refused_by_its_name(base: str, plugin: str) -> None:
    named = method_class(base).name
    with pytest.raises(NoPairPositives, match=f"^{named} has no pair positives"):
        build(f"{base}+{plugin}", {}, Sizes(10, 4, 2), seed=0)
    assert issubclass(NoPairPositives, UserError)


def test_plugin_on_a_plugin_is_refused() -> None:
    with pytest.raises(NoPairPositives):
        build("grace+homogcl+hard", {}, Sizes(10, 4, 2), seed=0)


@pytest.mark.parametrize("base", ["afgrl", "costa", "gbt"])
def test_a_mean_is_refused_by_bases_that_cannot_take_it(base: str) -> None:
    named = method_class(base).name
    with pytest.raises(CannotCombine, match=f"^{named} takes neighbors by term, .* by mean: take"):
        config_classes(f"{base}+adaptive")
    assert issubclass(CannotCombine, UserError)


@pytest.mark.parametrize("base", [name for name in BASES if name != "grace"])
def test_what_the_published_code_does_is_known_of_grace_alone(base: str) -> None:
    with pytest.raises(CannotCombine):
        config_classes(f"{base}+released")


@pytest.mark.parametrize("base", BASES)
def test_every_way_that_a_base_combines_gives_another_loss(graph: Data, base: str) -> None:
    losses: dict[str, Tensor] = {}
    weight = torch.linspace(0.2, 0.9, graph.num_edges, dtype=torch.float64)
    for way in [None, *sorted(method_class(base).combines)]:
        method = build(base, {}, Sizes.of(graph), seed=0).double()
        method.prepare(graph, stream(0, "prepare"))
        near = Positives.none() if way is None else Positives(graph.edge_index, weight, None, way)
        terms = method.objective(method.views(graph, stream(0, "augment")), near)
        losses[str(way)] = total(terms, method.term_weights()).detach()
    assert len({round(float(loss), 9) for loss in losses.values()}) == len(losses)


def _other(value: object) -> object:
    """Another value for a setting."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return 2 * value
    return {"fixed": "clusters", "soft": "hard", "hard": "soft"}[str(value)]


def _accepting(plugin: str) -> list[str]:
    """The bases that a plug-in can be put on, with it."""
    return [f"{base}+{plugin}" for base in BASES if plugin in plugins_of(method_class(base))]


SHIPPED = ("homogcl", "hard", "released", "adaptive")


@pytest.mark.parametrize("name", [name for plugin in SHIPPED for name in _accepting(plugin)])
def test_every_setting_that_a_base_accepts_changes_what_is_learned(graph: Data, name: str) -> None:
    """The second step of a training has another gradient under each setting of the plug-in."""
    base_model, model = config_classes(name)
    # As wide inside as outside, since Bandana has one decoder for all layers.
    square = {**SMALL, "out_dim": SMALL["hidden_dim"]}
    narrow = {key: value for key, value in square.items() if key in base_model.model_fields}
    # Wide enough that no soft assignment is rounded to a hard one.
    start: dict[str, object] = {**narrow, "num_clusters": 3}
    if "two_sigma_sq" in model.model_fields:
        start["two_sigma_sq"] = 0.5
    fixed = plugin(name.partition("+")[2]).settings
    gradients = [_step(graph, name, start)]
    for key, field in model.model_fields.items():
        try:
            settings = {**start, key: _other({**fixed, **start}.get(key, field.default))}
            gradients.append(_step(graph, name, settings))
        except UserError:
            continue  # refused by name, which is what silence must not be
        assert not torch.equal(gradients[-1], gradients[0]), key
    assert len(gradients) > 1


def _step(graph: Data, name: str, settings: dict[str, object]) -> Tensor:
    method = plugged(graph, name, settings)
    method.prepare(graph, stream(0, "prepare"))
    rng = stream(0, "augment")
    method.objective(method.views(graph, rng))
    with torch.no_grad():
        for parameter in method.parameters():
            parameter.add_(torch.linspace(-0.3, 0.2, parameter.numel()).view_as(parameter))
    loss = total(method.objective(method.views(graph, rng)), method.term_weights())
    return torch.cat([gradient.flatten() for gradient in gradients(loss, method)])


@pytest.mark.parametrize("plugin", SHIPPED)
def test_presets_of_the_family_hold_for_what_a_plugin_leaves_open(plugin: str) -> None:
    for name in _accepting(plugin):
        for data in ("cora", "citeseer", "pubmed", "an unknown graph"):
            settings = resolve(name, data).method
            mine, model = config_classes(name)
            assert not mine.model_fields.keys() & model.model_fields.keys()
            assert settings.keys() == mine.model_fields.keys() | model.model_fields.keys()
    assert resolve(f"grace+{plugin}", "citeseer").method["num_clusters"] == 30


def test_layers_are_those_that_the_base_says_it_has(graph: Data) -> None:
    class Layered(GRACE):
        def layer_outputs(self, graph: Data) -> list[Tensor]:
            return [graph.x, self.embed(graph)]

    method = HomoGCL(Layered(GRACE.Config(out_dim=3), Sizes.of(graph)).double(), num_clusters=2)
    x, z = method.layer_outputs(graph)
    assert x is graph.x
    assert torch.equal(z, method.embed(graph))


def test_state_before_the_first_step_scores_nothing(graph: Data) -> None:
    method = plugged(graph, "grace+homogcl", SETTINGS)
    assert method.assignment(graph) is None
    assert method.edge_scores(graph) is None


@pytest.mark.parametrize("clusters", [0, 4])
@pytest.mark.parametrize("base", ["grace", "gca"])
def test_plugins_leave_the_negatives_of_their_base(
    graph: Data, base: str, clusters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples: list[Tensor] = []

    def listen(*arguments: Any) -> SampledColumns:
        columns = stratified_columns(*arguments)
        samples.append(torch.stack([columns.node.double(), columns.weight]))
        return columns

    monkeypatch.setattr("homogcl.methods.negatives.stratified_columns", listen)
    sampled = {"negatives": "sampled", "num_negatives": 6, "negative_clusters": clusters}
    names = [base, *(f"{base}+{name}" for name in plugins_of(method_class(base)))]
    for name in names:
        method = build(name, {**SMALL, **sampled}, Sizes.of(graph), seed=0).double()
        method.prepare(graph, stream(0, "prepare"))
        rng = stream(0, "augment")
        for _ in range(3):
            method.objective(method.views(graph, rng))
    own, under = samples[:3], samples[3:]
    assert len(under) == 3 * (len(names) - 1) > 0
    assert not torch.equal(own[0], own[1])
    assert all(torch.equal(each, own[step % 3]) for step, each in enumerate(under))


BATCHED = TrainConfig(epochs=3, batch="parts", batch_size=20)


@pytest.mark.parametrize("name", ["grace+homogcl", "grace+adaptive"])
def test_clusters_of_batches_are_those_of_all_steps(name: str, block_graph: Data) -> None:
    method: Any = build(name, SMALL, Sizes.of(block_graph), seed=0)
    rows: list[Tensor] = []
    seen: list[Tensor] = []
    usual = method.next_centroids

    def listen(h: Tensor, seed: int) -> Tensor:
        rows.append(h.clone())
        seen.append(usual(h, seed).clone())
        return seen[-1]

    method.next_centroids = listen
    fit(method, block_graph, BATCHED, seed=0)
    assert len(rows) == 9
    clusters = RunningClusters.begin(seen[0])
    # The first step's own means, and then each step moves them.
    clusters = clusters.after(rows[0], 60)
    for h, c in zip(rows[1:], seen[1:], strict=True):
        clusters = clusters.after(h, 60)
        torch.testing.assert_close(c, clusters.centroids)
    assert torch.equal(method.centroids, seen[-1])


@pytest.mark.parametrize("name", ["grace+homogcl", "grace+adaptive"])
def test_training_by_batches_resumes_to_the_same_bits(name: str, block_graph: Data) -> None:
    def make(sizes: Sizes, seed: int) -> Method:
        return build(name, SMALL, sizes, seed)

    each = Candidate(name, make, BATCHED)
    whole = each.trained(block_graph, epochs=5)
    again = resumed(each, block_graph, each.schedule(5))
    assert same(again.state_dict(), whole.state_dict())
    assert whole.state_dict()["_extra_state"].dim() == 3


def test_a_whole_graph_after_batches_has_clusters_of_its_own(block_graph: Data) -> None:
    method: Any = build("grace+adaptive", SMALL, Sizes.of(block_graph), seed=0)
    fit(method, block_graph, BATCHED, seed=0)
    start = method.centroids
    h: list[Tensor] = []
    usual = method.next_centroids

    def listen(rows: Tensor, seed: int) -> Any:
        h.append(rows)
        return usual(rows, seed)

    method.next_centroids = listen
    fit(method, block_graph, TrainConfig(epochs=1), seed=0)
    k = method.config.num_clusters
    expected = centroids(h[0], k, stream(0, "unused"), start)
    assert torch.equal(method.centroids, expected)
    assert method.get_extra_state().dim() == 2
