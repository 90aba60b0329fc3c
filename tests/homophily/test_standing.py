from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from homogcl.homophily.plugins.base import HomoViews, NeighborPlugin
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.methods.base import Sizes, Terms
from homogcl.methods.registry import build
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit
from tests.plugged import half_of

SETTINGS = {"hidden_dim": 8, "out_dim": 4, "num_clusters": 2}


@pytest.fixture
def graph(block_graph: Data) -> Data:
    graph = half_of(block_graph)
    graph.x = graph.x.float()
    return graph


def _weighings(name: str, graph: Data, refresh: int, config: TrainConfig) -> list[set[str]]:
    """Return the names of each epoch's terms: a plug-in's own are there where it weighs."""
    method = build(name, {**SETTINGS, "refresh": refresh}, Sizes.of(graph), seed=0)
    epochs: list[Epoch] = []
    fit(method, graph, config, seed=0, on_epoch=epochs.append)
    return [set(epoch.terms) for epoch in epochs]


def test_edges_are_weighed_at_every_nth_step(graph: Data) -> None:
    terms = _weighings("grace+homogcl", graph, 3, TrainConfig(epochs=7))
    assert ["homophily" in each for each in terms] == [True, False, False, True, False, False, True]


def test_edges_of_batches_are_weighed_at_each_step(graph: Data) -> None:
    config = TrainConfig(epochs=3, batch="neighbors", batch_size=4)
    terms = _weighings("grace+homogcl", graph, 3, config)
    assert all("homophily" in each for each in terms)


def test_a_method_that_was_not_prepared_weighs_at_each_step(graph: Data) -> None:
    base = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(graph), seed=0)
    method = HomoGCL(base, num_clusters=2, refresh=3)
    rng = torch.Generator().manual_seed(0)
    for _ in range(3):
        assert "homophily" in method.objective(method.views(graph, rng))


def test_own_terms_count_for_all_steps_that_the_weights_serve(graph: Data) -> None:
    def first(refresh: int) -> Terms:
        method = build("grace+homogcl", {**SETTINGS, "refresh": refresh}, Sizes.of(graph), seed=0)
        method.prepare(graph, torch.Generator().manual_seed(1))
        return method.objective(method.views(graph, torch.Generator().manual_seed(2)))

    once, thrice = first(1), first(3)
    torch.testing.assert_close(thrice["homophily"], 3 * once["homophily"])
    torch.testing.assert_close(thrice["contrast"], once["contrast"], rtol=0, atol=0)


def test_weights_between_are_those_of_the_last_weighing(graph: Data) -> None:
    method = build("grace+adaptive", {**SETTINGS, "refresh": 2}, Sizes.of(graph), seed=0)
    assert isinstance(method, NeighborPlugin)
    method.prepare(graph, torch.Generator().manual_seed(1))
    rng = torch.Generator().manual_seed(2)
    weights = []
    expanded = method.expanded

    def remembered(views: HomoViews, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        weights.append(weight)
        return expanded(views, weight)

    method.expanded = remembered  # type: ignore[method-assign]
    for _ in range(4):
        method.objective(method.views(graph, rng))
        with torch.no_grad():
            for parameter in method.parameters():
                parameter.add_(torch.linspace(-0.4, 0.6, parameter.numel()).view_as(parameter))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[1], weights[2])
    assert torch.equal(weights[2], weights[3])


def test_a_training_that_stops_between_two_weighings_resumes_to_the_same_bits(
    graph: Data, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def trained(checkpoints: Checkpoints | None, epochs: int) -> dict[str, torch.Tensor]:
        method = build("grace+homogcl", {**SETTINGS, "refresh": 3}, Sizes.of(graph), seed=0)
        fit(method, graph, TrainConfig(epochs=epochs), seed=0, checkpoints=checkpoints)
        return method.state_dict()

    folder = tmp_path_factory.mktemp("checkpoints")
    whole = trained(None, 8)
    trained(Checkpoints(folder, every=1), 5)
    resumed = trained(Checkpoints(folder, every=1), 8)
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)
