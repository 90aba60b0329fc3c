"""The probe: what it chooses, what it may not see, and what does not change its result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.metrics import accuracy_score, log_loss
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.splits import random_split
from homogcl.data.synthetic import citation_graph
from homogcl.evaluate.probe import (
    ProbeConfig,
    linear_probe,
    predictions,
    probe_over_splits,
    refitted_probe,
)
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.presets.resolve import resolve

CHOICE = ("val_accuracy", "probe_penalty", "probe_at_edge")


class Problem(NamedTuple):
    z: Tensor
    y: Tensor
    split: tuple[Tensor, Tensor, Tensor]


def noisy_problem(seed: int = 0, nodes: int = 90, noise: float = 1.5) -> Problem:
    """Three overlapping classes in float64, split in three equal parts."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(nodes) % 3
    centers = torch.randn(3, 5, generator=rng, dtype=torch.float64)
    z = centers[y] + noise * torch.randn(nodes, 5, generator=rng, dtype=torch.float64)
    part = torch.randperm(nodes, generator=rng) % 3
    return Problem(z, y, (part == 0, part == 1, part == 2))


def spread(x: Tensor) -> float:
    return float((x - x.mean(dim=0)).square().sum(dim=1).mean())


def oracle(x: Tensor, y: Tensor, penalty: float) -> Any:
    """Return scikit-learn's classifier with the penalty."""
    c = 1 / (penalty * spread(x) * len(x))
    return LogisticRegression(C=c, tol=1e-10, max_iter=100_000).fit(x.numpy(), y.numpy())


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_choice_is_the_best_on_validation_of_all_penalties(seed: int) -> None:
    z, y, (train, val, test) = noisy_problem(seed)
    config = ProbeConfig(strongest=10, weakest=1e-3, per_decade=1, patience=5)
    candidates = []
    for penalty in (10.0, 1.0, 0.1, 0.01, 0.001):
        classifier = oracle(z[train], y[train], penalty)
        accuracy = accuracy_score(y[val], classifier.predict(z[val].numpy()))
        loss = log_loss(y[val], classifier.predict_proba(z[val].numpy()))
        test_accuracy = accuracy_score(y[test], classifier.predict(z[test].numpy()))
        candidates.append((accuracy, -loss, penalty, test_accuracy))
    accuracy, _, penalty, test_accuracy = max(candidates)
    assert linear_probe(z, y, (train, val, test), config) == pytest.approx(
        {
            "test_accuracy": test_accuracy,
            "val_accuracy": accuracy,
            "probe_penalty": penalty,
            "probe_at_edge": float(penalty in (10.0, 0.001)),
        }
    )


def test_path_ends_once_neither_loss_nor_accuracy_was_best_for_a_while() -> None:
    problem = noisy_problem()
    short = linear_probe(*problem, ProbeConfig(patience=3))
    whole = linear_probe(*problem, ProbeConfig(patience=100, weakest=1e-6))
    assert short == whole


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), exponent=st.sampled_from([-4, 4]))
def test_scale_rotation_shift_and_order_change_nothing(seed: int, exponent: int) -> None:
    z, y, split = noisy_problem(seed)
    rng = torch.Generator().manual_seed(seed)
    rotation = torch.linalg.qr(torch.randn(5, 5, generator=rng, dtype=torch.float64)).Q
    order = torch.randperm(len(y), generator=rng)
    changed = (10.0**exponent * (z @ rotation - 2.0))[order]
    train, val, test = (mask[order] for mask in split)
    assert linear_probe(changed, y[order], (train, val, test)) == linear_probe(z, y, split)


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_features_of_a_graph_divided_by_their_sums_score_alike_at_any_scale(
    scale: float, encoded: bool
) -> None:
    graph = citation_graph(600)
    x = graph.x.to_dense()
    graph.x = x / x.sum(dim=1, keepdim=True).clamp(min=1)
    if encoded:
        settings = resolve("random", "demo").method
        z = embeddings(build("random", settings, Sizes.of(graph), seed=0), graph)
    else:
        z = graph.x
    train, val, test = random_split(600, stream(0, "split"))
    split = (train, val, test)
    scores = linear_probe(z, graph.y, split)
    assert linear_probe(scale * z, graph.y, split) == scores
    unit = z / z.square().sum(dim=1).mean().sqrt()
    ridge = RidgeClassifierCV(np.logspace(-4, 4, 17))
    ridge.fit(unit[train].numpy(), graph.y[train].numpy())
    assert scores["test_accuracy"] > 0.9 * ridge.score(unit[test].numpy(), graph.y[test].numpy())


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_test_labels_do_not_change_what_is_chosen(seed: int) -> None:
    problem = noisy_problem(seed)
    foreign = problem.y.clone()
    foreign[problem.split[2]] = 99
    first, second = (linear_probe(*problem._replace(y=y)) for y in (problem.y, foreign))
    assert [first[k] for k in CHOICE] == [second[k] for k in CHOICE]
    assert second["test_accuracy"] == 0.0
    refits = [refitted_probe(*problem._replace(y=y)) for y in (problem.y, foreign)]
    assert refits[0]["refit_penalty"] == refits[1]["refit_penalty"]


def test_refit_learns_from_training_and_validation_nodes_with_the_penalty_chosen() -> None:
    z, y, (train, val, test) = noisy_problem(3)
    penalty = linear_probe(z, y, (train, val, test))["probe_penalty"]
    both = train | val
    classifier = oracle(z[both], y[both], penalty)
    expected = accuracy_score(y[test], classifier.predict(z[test].numpy()))
    scores = refitted_probe(z, y, (train, val, test))
    assert scores == {
        "refit_test_accuracy": pytest.approx(expected),
        "refit_penalty": penalty,
        "refit_at_edge": 0.0,
    }


def test_refit_refuses_equal_classes_to_which_it_would_add_unequal_ones() -> None:
    z, y, (train, val, test) = noisy_problem(nodes=600)
    some = torch.cat([(train & (y == c)).nonzero()[:20] for c in range(3)])
    equal = torch.zeros_like(train).index_fill(0, some.squeeze(1), True)
    unequal = val & ((y != 1) | (torch.arange(600) % 5 == 0))
    assert refitted_probe(z, y, (equal, val, test))["refit_test_accuracy"] > 0.5
    assert refitted_probe(z, y, (train, unequal, test))["refit_test_accuracy"] > 0.4
    with pytest.raises(UserError, match="20 of each class while those are not"):
        refitted_probe(z, y, (equal, unequal, test))


def test_refit_and_splits_say_how_often_the_penalty_is_at_the_edge_of_its_path() -> None:
    noise = torch.randn(200, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    problem = noisy_problem(nodes=200)
    assert refitted_probe(*problem, ProbeConfig(weakest=10))["refit_at_edge"] == 1.0
    assert 0 < probe_over_splits(noise, problem.y, seed=0, splits=4)["splits_at_edge"] <= 1
    assert probe_over_splits(problem.z, problem.y, seed=1, splits=2)["splits_at_edge"] == 0


def test_splits_are_drawn_by_seed_and_averaged() -> None:
    z, y, _ = noisy_problem(nodes=200)
    y = y.clone()
    y[::7] = -1
    scores = probe_over_splits(z, y, seed=4, splits=3)
    assert scores == probe_over_splits(z, y, seed=4, splits=3)
    assert scores != probe_over_splits(z, y, seed=5, splits=3)
    single = probe_over_splits(z, y, seed=4, splits=1)
    assert single["splits_test_accuracy_std"] == 0.0
    assert 0 < scores["splits_test_accuracy_std"] < 0.2
    assert set(scores) == {"splits_at_edge"} | {
        f"splits_{budget}test_accuracy{kind}" for budget in ("", "refit_") for kind in ("", "_std")
    }


def test_a_class_that_only_validation_and_test_have_is_never_predicted() -> None:
    z, y, (train, val, test) = noisy_problem()
    rare = (y == 1) & train
    scores = linear_probe(z, y, (train & ~rare, val, test))
    assert 0 < scores["val_accuracy"] <= float((y[val] != 1).double().mean())


def test_nodes_outside_the_split_are_not_used() -> None:
    problem = noisy_problem()
    absent = torch.zeros(4, dtype=torch.bool)
    train, val, test = (torch.cat([mask, absent]) for mask in problem.split)
    z = torch.cat([problem.z, torch.full((4, 5), 1e9, dtype=torch.float64)])
    y = torch.cat([problem.y, torch.full((4,), -1)])
    assert linear_probe(z, y, (train, val, test)) == linear_probe(*problem)


def test_separable_classes_are_read_without_error() -> None:
    scores = linear_probe(*noisy_problem(noise=0.01))
    assert scores["test_accuracy"] == scores["val_accuracy"] == 1.0


@pytest.mark.parametrize("writable", [True, False])
def test_numpy_arrays_score_as_tensors_do(writable: bool) -> None:
    problem = noisy_problem()
    arrays = [part.numpy().copy() for part in (problem.z, problem.y, *problem.split)]
    for array in arrays:
        array.setflags(write=writable)
    z, y, train, val, test = arrays
    assert linear_probe(z, y, (train, val, test)) == linear_probe(*problem)


def test_sparse_and_attached_embeddings_score_as_dense_ones_do() -> None:
    problem = noisy_problem()
    z = problem.z
    for form in (z.to_sparse_csr(), z.to_sparse(), z.clone().requires_grad_()):
        assert linear_probe(*problem._replace(z=form)) == linear_probe(*problem)


@pytest.mark.parametrize(("part", "name"), [(0, "training"), (1, "validation"), (2, "test")])
def test_an_empty_part_of_the_split_is_named(part: int, name: str) -> None:
    z, y, split = noisy_problem()
    masks = list(split)
    masks[part] = torch.zeros(90, dtype=torch.bool)
    with pytest.raises(UserError, match=f"no labeled node in the {name} part"):
        linear_probe(z, y, (masks[0], masks[1], masks[2]))


@pytest.mark.parametrize("sparse", [False, True])
def test_an_embedding_that_is_not_finite_is_refused_by_node(sparse: bool) -> None:
    problem = noisy_problem()
    problem.z[17, 2] = float("nan")
    z = problem.z.to_sparse_csr() if sparse else problem.z
    with pytest.raises(UserError, match="node 17 "):
        linear_probe(*problem._replace(z=z))


def test_predictions_are_the_accuracies_of_each_part() -> None:
    z, y, split = noisy_problem()
    logits = z[:, :3]
    expected = {
        f"{part}_accuracy": accuracy_score(y[mask], np.argmax(logits[mask].numpy(), axis=1))
        for part, mask in zip(("train", "val", "test"), split, strict=True)
    }
    assert len(set(expected.values())) > 1
    assert predictions(logits, y, split) == pytest.approx(expected)
