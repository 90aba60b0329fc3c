from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.adam_probe import AdamProbeConfig, adam_probe, training

CHOSEN = ("adam_val_accuracy", "adam_step", "adam_weight_decay")
QUICK = AdamProbeConfig(steps=40, weight_decays=(1e-4, 1e-1))


class Problem(NamedTuple):
    z: Tensor
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor


def noisy_problem(seed: int = 0, nodes: int = 90, noise: float = 1.5) -> Problem:
    """Three overlapping classes in float64, split in three equal parts."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(nodes) % 3
    centers = torch.randn(3, 5, generator=rng, dtype=torch.float64)
    z = centers[y] + noise * torch.randn(nodes, 5, generator=rng, dtype=torch.float64)
    part = torch.randperm(nodes, generator=rng) % 3
    return Problem(z, y, part == 0, part == 1, part == 2)


def scores_of(problem: Problem, config: AdamProbeConfig, rng: torch.Generator) -> dict[str, float]:
    z, y, *split = problem
    return adam_probe(z, y, (split[0], split[1], split[2]), config, rng)


def last_weights(z: Tensor, y: Tensor, config: AdamProbeConfig) -> tuple[Tensor, Tensor]:
    *_, (weight, bias) = training(z, y, 3, config, stream(0, "probe"))
    return weight, bias


def test_training_ends_at_the_optimum_that_scikit_learn_finds() -> None:
    problem = noisy_problem()
    config = AdamProbeConfig(steps=6000, weight_decays=(1e-2, 1e-1, 1.0))
    weight, bias = last_weights(problem.z, problem.y, config)
    for head, decay in enumerate(config.weight_decays):
        oracle = LogisticRegression(C=1 / (decay * len(problem.y)), tol=1e-10, max_iter=10_000)
        oracle.fit(problem.z.numpy(), problem.y.numpy())
        np.testing.assert_allclose(weight[:, head].T, oracle.coef_, atol=1e-5)
        # The softmax leaves a common shift of all biases free.
        shift = bias[head] - bias[head].mean()
        np.testing.assert_allclose(shift, oracle.intercept_ - oracle.intercept_.mean(), atol=1e-5)


def test_heads_that_train_together_learn_what_they_learn_alone() -> None:
    problem = noisy_problem()
    together = last_weights(problem.z, problem.y, QUICK)
    for head, decay in enumerate(QUICK.weight_decays):
        config = QUICK.model_copy(update={"weight_decays": (decay,)})
        alone = last_weights(problem.z, problem.y, config)
        torch.testing.assert_close(together[0][:, head], alone[0][:, 0])
        torch.testing.assert_close(together[1][head], alone[1][0])


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), nodes=st.integers(15, 60))
def test_choice_is_the_best_on_validation_of_all_steps_and_heads(seed: int, nodes: int) -> None:
    z, y, train, val, test = noisy_problem(seed, nodes)
    classes = int(y[train | val].max()) + 1
    candidates = []
    for step, (weight, bias) in enumerate(
        training(z[train], y[train], classes, QUICK, stream(seed, "probe")), start=1
    ):
        for head, decay in enumerate(QUICK.weight_decays):
            logits = z @ weight[:, head] + bias[head]
            hits = [int(logits[i].argmax()) == int(y[i]) for i in range(nodes)]
            val_hits = [hits[i] for i in range(nodes) if val[i]]
            test_hits = [hits[i] for i in range(nodes) if test[i]]
            loss = log_loss(y[val], logits[val].softmax(dim=1), labels=range(classes))
            accuracy = sum(val_hits) / len(val_hits)
            rank = (accuracy, -loss, -step, -head)
            candidates.append((rank, sum(test_hits) / len(test_hits), accuracy, step, decay))
    _, test_accuracy, val_accuracy, step, decay = max(candidates)
    scores = adam_probe(z, y, (train, val, test), QUICK, stream(seed, "probe"))
    assert scores == pytest.approx(
        {
            "adam_test_accuracy": test_accuracy,
            "adam_val_accuracy": val_accuracy,
            "adam_step": step,
            "adam_weight_decay": decay,
        }
    )


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_test_labels_do_not_change_what_is_chosen(seed: int) -> None:
    problem = noisy_problem(seed)
    rng = torch.Generator().manual_seed(seed)
    rows = problem.test.nonzero().squeeze(1)
    shuffled, foreign = problem.y.clone(), problem.y.clone()
    shuffled[rows] = problem.y[rows[torch.randperm(len(rows), generator=rng)]]
    foreign[rows] = 99
    first, second, third = (
        scores_of(problem._replace(y=y), QUICK, stream(seed, "probe"))
        for y in (problem.y, shuffled, foreign)
    )
    assert [first[k] for k in CHOSEN] == [second[k] for k in CHOSEN] == [third[k] for k in CHOSEN]
    assert third["adam_test_accuracy"] == 0.0


def test_nodes_outside_the_split_are_not_used() -> None:
    problem = noisy_problem()
    absent = torch.zeros(4, dtype=torch.bool)
    more = Problem(
        torch.cat([problem.z, torch.full((4, 5), 1e9, dtype=torch.float64)]),
        torch.cat([problem.y, torch.full((4,), -1)]),
        *(torch.cat([mask, absent]) for mask in (problem.train, problem.val, problem.test)),
    )
    scores = scores_of(more, QUICK, stream(0, "probe"))
    assert scores == scores_of(problem, QUICK, stream(0, "probe"))


def test_separable_classes_are_read_without_error() -> None:
    problem = noisy_problem(noise=0.01)
    scores = scores_of(problem, AdamProbeConfig(steps=200), stream(0, "probe"))
    assert scores["adam_test_accuracy"] == scores["adam_val_accuracy"] == 1.0


@pytest.mark.parametrize("writable", [True, False])
def test_numpy_arrays_score_as_tensors_do(writable: bool) -> None:
    problem = noisy_problem()
    z, y, train, val, test = (part.numpy().copy() for part in problem)
    for array in (z, y, train, val, test):
        array.setflags(write=writable)
    scores = adam_probe(z, y, (train, val, test), QUICK, stream(0, "probe"))
    assert scores == scores_of(problem, QUICK, stream(0, "probe"))


@pytest.mark.parametrize("form", ["csr", "requires_grad"])
def test_sparse_and_attached_embeddings_score_as_dense_ones_do(form: str) -> None:
    problem = noisy_problem()
    z = problem.z.to_sparse_csr() if form == "csr" else problem.z.clone().requires_grad_()
    scores = scores_of(problem._replace(z=z), QUICK, stream(0, "probe"))
    assert scores == scores_of(problem, QUICK, stream(0, "probe"))


def test_the_generator_decides_the_first_weights() -> None:
    z, y = noisy_problem().z, noisy_problem().y
    config = QUICK.model_copy(update={"steps": 1})
    (first, _), (same, _), (other, _) = (
        next(training(z, y, 3, config, stream(seed, "probe"))) for seed in (0, 0, 1)
    )
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("part", "name"), [("train", "training"), ("val", "validation"), ("test", "test")]
)
def test_an_empty_part_of_the_split_is_named(part: str, name: str) -> None:
    problem = noisy_problem()
    empty = problem._replace(**{part: torch.zeros(90, dtype=torch.bool)})
    with pytest.raises(UserError, match=f"no labeled node in the {name} part"):
        scores_of(empty, QUICK, stream(0, "probe"))


def test_an_embedding_that_is_not_finite_is_refused_by_node() -> None:
    problem = noisy_problem()
    problem.z[17, 2] = float("nan")
    with pytest.raises(UserError, match="node 17 "):
        scores_of(problem, QUICK, stream(0, "probe"))


def test_a_loss_that_overflows_is_refused() -> None:
    problem = noisy_problem()
    config = AdamProbeConfig(steps=3, learning_rate=1e300)
    with pytest.raises(UserError, match="learning rate"):
        scores_of(problem._replace(z=problem.z * 1e300), config, stream(0, "probe"))
