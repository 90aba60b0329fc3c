from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import integer, stream
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build
from homogcl.training.loop import (
    Epoch,
    NotFinite,
    TrainConfig,
    check_fits,
    fit,
    fixed_length,
    learning_rate,
)
from tests.graphs import same, snapshot
from tests.toys import Breaking, Fixed, Supervised, Toy


@given(epochs=st.integers(1, 200), rate=st.floats(1e-6, 1.0))
def test_constant_rate_is_constant(epochs: int, rate: float) -> None:
    config = TrainConfig(epochs=epochs, learning_rate=rate)
    assert {learning_rate(config, index) for index in range(epochs)} == {rate}


def test_cosine_rate_is_torchs() -> None:
    config = TrainConfig(epochs=20, learning_rate=0.3, schedule="cosine")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.3)
    oracle = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    for index in range(20):
        assert learning_rate(config, index) == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        oracle.step()


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_warm_up_rises_in_equal_steps_to_the_full_rate(schedule: str) -> None:
    config = TrainConfig.model_validate(
        {"epochs": 12, "learning_rate": 0.4, "warmup_epochs": 4, "schedule": schedule}
    )
    rates = [learning_rate(config, index) for index in range(12)]
    assert rates[:4] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert rates[4] == pytest.approx(0.4)
    after = [0.4 * 0.5 * (1 + math.cos(math.pi * i / 8)) for i in range(8)]
    assert rates[4:] == pytest.approx(after if schedule == "cosine" else [0.4] * 8)


def test_warm_up_longer_than_the_training_never_reaches_the_full_rate() -> None:
    config = TrainConfig(epochs=5, learning_rate=1.0, warmup_epochs=10, schedule="cosine")
    assert [learning_rate(config, i) for i in range(5)] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize(
    "bad",
    [{"epochs": -1}, {"learning_rate": 0}, {"weight_decay": -1}, {"optimizer": "sgd"}, {"lr": 1}],
)
def test_settings_that_make_no_sense_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TrainConfig.model_validate(bad)


def test_unsupervised_method_never_sees_a_label_or_a_split(block_graph: Data) -> None:
    block_graph.edge_weight = torch.ones(block_graph.num_edges)
    method = Toy(Sizes.of(block_graph))
    fit(method, block_graph, TrainConfig(epochs=2), seed=0)
    assert len(method.graphs) == 3
    for graph in method.graphs:
        keys = {"x", "edge_index", "edge_weight", "num_nodes", "pattern"}  # that of the edges
        assert set(graph.keys()) <= keys
        assert torch.equal(graph.x, block_graph.x)
        assert graph.num_nodes == block_graph.num_nodes


def test_method_that_declares_labels_gets_them(block_graph: Data) -> None:
    method = Supervised(Sizes.of(block_graph))
    fit(method, block_graph, TrainConfig(epochs=1), seed=0)
    assert all("y" in graph and "train_mask" in graph for graph in method.graphs)


def test_same_seed_gives_the_same_bits_and_another_seed_others(block_graph: Data) -> None:
    weights = [
        fit(Toy(Sizes.of(block_graph)), block_graph, TrainConfig(epochs=5), seed=seed).state_dict()
        for seed in (3, 3, 4)
    ]
    assert same(weights[0], weights[1])
    assert not same(weights[0], weights[2])


def test_training_is_blind_to_the_global_generator_and_leaves_it_alone(block_graph: Data) -> None:
    results = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        method = fit(Toy(Sizes.of(block_graph)), block_graph, TrainConfig(epochs=3), seed=0)
        assert torch.equal(torch.get_rng_state(), before)
        results.append(method.state_dict())
    assert same(*results)


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_steps_are_those_of_a_loop_by_hand(block_graph: Data, optimizer: str) -> None:
    settings = {"learning_rate": 0.1, "weight_decay": 0.01, "warmup_epochs": 2}
    config = TrainConfig.model_validate({**settings, "epochs": 4, "optimizer": optimizer})
    weights = {"size": 0.25}
    ours = fit(Toy(Sizes.of(block_graph), weights), block_graph, config, seed=9)

    toy = Toy(Sizes.of(block_graph))
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[optimizer]
    steps = kind([toy.weight], weight_decay=0.01)
    rng = stream(9, "augment")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(integer(9, "dropout"))
        for rate in (0.05, 0.1, 0.1, 0.1):
            steps.param_groups[0]["lr"] = rate
            terms = toy.objective(toy.views(block_graph, rng))
            steps.zero_grad()
            torch.autograd.backward(terms["distance"] + 0.25 * terms["size"])
            steps.step()
    torch.testing.assert_close(ours.state_dict(), toy.state_dict())


@pytest.mark.parametrize(("limit", "step"), [(0.0, 3.0), (1e6, 3.0), (0.5, 0.5)])
def test_a_gradient_is_cut_to_the_length_that_is_set(
    block_graph: Data, limit: float, step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = []

    def measured(optimizer: torch.optim.Adam) -> None:
        (weight,) = optimizer.param_groups[0]["params"]
        lengths.append(float(weight.grad.norm()))

    monkeypatch.setattr(torch.optim.Adam, "step", measured)
    toy = Toy(Sizes.of(block_graph))
    length = 3.0 / (2 * block_graph.num_features) ** 0.5
    monkeypatch.setattr(toy, "objective", lambda _: {"slope": (length * toy.weight).sum()})
    fit(toy, block_graph, TrainConfig(epochs=1, gradient_norm=limit), seed=0)
    assert lengths == pytest.approx([step], rel=1e-4)


def test_each_epoch_is_reported_with_its_terms_and_their_weighted_sum(block_graph: Data) -> None:
    epochs: list[Epoch] = []
    method = Toy(Sizes.of(block_graph), {"size": 0.25})
    fit(method, block_graph, TrainConfig(epochs=4), seed=0, on_epoch=epochs.append)
    assert [epoch.number for epoch in epochs] == [1, 2, 3, 4]
    assert {epoch.total for epoch in epochs} == {4}
    assert method.progress == [0.25, 0.5, 0.75, 1.0]
    for epoch in epochs:
        assert set(epoch.terms) == {"distance", "size"}
        assert epoch.loss == pytest.approx(epoch.terms["distance"] + 0.25 * epoch.terms["size"])
        assert epoch.seconds > 0
    # All weights are 1 at first.
    assert epochs[0].terms["size"] == 2 * block_graph.num_features


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("loss", "step 3: the term 'distance' is nan"),
        ("gradient", "step 3: the gradient of weight"),
    ],
)
def test_training_stops_by_name_and_step_where_a_number_is_not_finite(
    block_graph: Data, where: str, names: str
) -> None:
    method = Breaking(Sizes.of(block_graph), where)
    with pytest.raises(NotFinite, match=names) as caught:
        fit(method, block_graph, TrainConfig(epochs=5), seed=0)
    assert isinstance(caught.value, UserError)
    assert bool(method.weight.isfinite().all())
    assert len(method.progress) == 2


@pytest.mark.parametrize("name", ["grace", "grace+homogcl"])
def test_features_that_are_not_finite_stop_real_methods_too(block_graph: Data, name: str) -> None:
    block_graph.x[3, 2] = torch.nan
    small = {"hidden_dim": 8, "out_dim": 4, "mask_feature_1": 0.0, "mask_feature_2": 0.0}
    method = build(name, small, Sizes.of(block_graph), seed=0)
    with pytest.raises(NotFinite, match="before step 1: x: the features of node 3 hold nan"):
        fit(method, block_graph, TrainConfig(epochs=2), seed=0)


def test_method_without_parameters_is_prepared_and_not_trained(block_graph: Data) -> None:
    epochs: list[Epoch] = []
    method = Fixed()
    assert fit(method, block_graph, TrainConfig(), seed=0, on_epoch=epochs.append) is method
    assert epochs == []


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_rate_of_batches_moves_with_each_step(schedule: str) -> None:
    settings = {"epochs": 6, "learning_rate": 0.4, "warmup_epochs": 2, "schedule": schedule}
    config = TrainConfig.model_validate(settings)
    as_steps = TrainConfig.model_validate({**settings, "epochs": 30, "warmup_epochs": 10})
    assert [learning_rate(config, step, per_epoch=5) for step in range(30)] == pytest.approx(
        [learning_rate(as_steps, step) for step in range(30)]
    )


@pytest.mark.parametrize("kind", ["parts", "neighbors", "metis"])
def test_an_epoch_is_one_step_a_batch(block_graph: Data, kind: str) -> None:
    epochs: list[Epoch] = []
    method = Toy(Sizes.of(block_graph), {"size": 0.25})
    config = TrainConfig.model_validate({"epochs": 2, "batch": kind, "batch_size": 20})
    fit(method, block_graph, config, seed=0, on_epoch=epochs.append)
    assert method.progress == pytest.approx([n / 6 for n in range(1, 7)])
    prepared, *steps = method.graphs
    assert prepared.num_nodes == 60
    assert len(steps) == 6
    assert all("y" not in graph for graph in steps)
    assert [epoch.number for epoch in epochs] == [1, 2]
    for epoch in epochs:
        assert epoch.loss == pytest.approx(epoch.terms["distance"] + 0.25 * epoch.terms["size"])


def test_parts_train_as_a_loop_over_them_by_hand(block_graph: Data) -> None:
    config = TrainConfig(epochs=2, learning_rate=0.1, batch="parts", batch_size=20)
    epochs: list[Epoch] = []
    ours = fit(Toy(Sizes.of(block_graph)), block_graph, config, seed=9, on_epoch=epochs.append)

    toy = Toy(Sizes.of(block_graph))
    steps = torch.optim.Adam([toy.weight], lr=0.1)
    rng = stream(9, "augment")
    losses = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(integer(9, "dropout"))
        for epoch in range(2):
            order = torch.randperm(60, generator=stream(9, f"batch {epoch}"))
            for nodes in order.view(3, 20):
                part = block_graph.subgraph(nodes.sort().values)
                terms = toy.objective(toy.views(part, rng))
                steps.zero_grad()
                torch.autograd.backward(terms["distance"] + terms["size"])
                steps.step()
                losses.append(float(terms["distance"].detach() + terms["size"].detach()))
    torch.testing.assert_close(ours.state_dict(), toy.state_dict())
    means = [sum(losses[:3]) / 3, sum(losses[3:]) / 3]
    assert [epoch.loss for epoch in epochs] == pytest.approx(means)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"negatives": "sampled", "num_negatives": 61}, "num_negatives=61 is more than the 60"),
        ({"num_clusters": 61}, "num_clusters=61 is more than the 60"),
        ({"num_clusters": 21, "batch": "parts", "batch_size": 20}, "more than the 20 nodes"),
        (
            {"negatives": "sampled", "num_negatives": 30, "batch": "parts", "batch_size": 31},
            None,
        ),
    ],
)
def test_what_a_step_has_no_nodes_for_is_refused_before_it_begins(
    block_graph: Data, settings: dict[str, object], names: str | None
) -> None:
    batch = {key: value for key, value in settings.items() if key.startswith("batch")}
    rest = {key: value for key, value in settings.items() if key not in batch}
    method = build("grace+homogcl", {"hidden_dim": 4, **rest}, Sizes.of(block_graph), seed=0)
    config = TrainConfig.model_validate({"epochs": 1, **batch})
    if names is None:
        check_fits(method, block_graph, config)
        return
    with pytest.raises(UserError, match=names):
        check_fits(method, block_graph, config)


def test_no_epochs_leave_the_method_as_built(block_graph: Data) -> None:
    method = Toy(Sizes.of(block_graph))
    fit(method, block_graph, TrainConfig(epochs=0), seed=0)
    assert torch.equal(method.weight, torch.ones_like(method.weight))


def test_training_leaves_the_graph_as_it_was(block_graph: Data) -> None:
    before = snapshot(block_graph)
    fit(Toy(Sizes.of(block_graph)), block_graph, TrainConfig(epochs=2), seed=0)
    assert same(snapshot(block_graph), before)


def test_only_a_constant_rate_without_progress_can_go_on(block_graph: Data) -> None:
    grace, bgrl = (build(name, {}, Sizes.of(block_graph), 0) for name in ("grace", "bgrl+homogcl"))
    assert fixed_length(grace, TrainConfig()) is None
    assert fixed_length(grace, TrainConfig(warmup_epochs=2)) is None
    assert "schedule=cosine" in str(fixed_length(grace, TrainConfig(schedule="cosine")))
    assert "share of epochs" in str(fixed_length(bgrl, TrainConfig()))


def test_products_are_computed_in_the_precision_that_is_asked_for(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.core.precision.has_bfloat16", lambda: True)
    method = Toy(Sizes.of(block_graph))
    x = torch.randn(80, 80, generator=torch.Generator().manual_seed(0))
    exact = x @ x
    inside: list[bool] = []
    monkeypatch.setattr(method, "after_step", lambda _: inside.append(torch.equal(x @ x, exact)))
    for precision, is_exact in (("float32", True), ("bfloat16", False), ("auto", False)):
        config = TrainConfig.model_validate({"epochs": 1, "precision": precision})
        fit(method, block_graph, config, seed=0)
        assert inside.pop() == is_exact
        assert torch.equal(x @ x, exact)


def test_bfloat16_is_refused_where_the_processor_lacks_it(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.core.precision.has_bfloat16", lambda: False)
    config = TrainConfig(epochs=1, precision="bfloat16")
    with pytest.raises(UserError, match="precision=bfloat16"):
        check_fits(Toy(Sizes.of(block_graph)), block_graph, config)
