"""The linear probe: how much of the classes a one-layer classifier reads from an embedding."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import NamedTuple

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import cross_entropy

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.arrays import (
    Array,
    Split,
    as_tensor,
    dense_embedding,
    finite_embedding,
    split_rows,
)
from homogcl.evaluate.logistic import Regression, Solution

_CHANCE = 0.01  # how often equal classes are taken for unequal ones


class ProbeConfig(Config):
    """An L2-regularized linear classifier at its optimum, its penalty chosen on validation.

    Penalties are relative to the spread of the embedding and become weaker by equal factors, until
    neither loss nor accuracy on validation has been best for `patience` penalties.
    """

    strongest: float = Field(default=10.0, gt=0)
    weakest: float = Field(default=1e-8, gt=0)
    per_decade: int = Field(default=2, ge=1)
    patience: int = Field(default=3, ge=1)
    tolerance: float = Field(default=1e-4, gt=0)  # of the path; the choice is solved to the end


class _Part(NamedTuple):
    """The nodes of one part of a split."""

    z: Tensor  # [n, d], dense or sparse
    y: Tensor  # [n]


class _Choice(NamedTuple):
    """A classifier with one penalty, and its scores on validation nodes."""

    solution: Solution
    classes: Tensor  # [C], those that it learned
    penalty: float
    accuracy: float
    loss: float


def linear_probe(
    z: Array, y: Array, split: Split, config: ProbeConfig | None = None
) -> dict[str, float]:
    """Return the accuracy of a linear classifier on the embedding `z`, as fractions.

    Nothing is random, and scaling, rotating or shifting `z` changes no prediction.

    Args:
        z: Embedding [N, d], dense or sparse.
        y: Classes [N].
        split: Masks [N] of the nodes that classifiers learn from, that choose the penalty by
            accuracy (equal ones by the lower loss), and that the choice is scored on.
        config: The path of penalties.

    Returns:
        `test_accuracy`, `val_accuracy`, the chosen `probe_penalty`, and `probe_at_edge`: 1 if it
        is the strongest or the weakest that was tried, else 0.
    """
    learn, select, score = _parts(z, y, split)
    choice, at_edge = _choose(learn, select, config or ProbeConfig())
    return {
        # Only this line reads labels of test nodes, and everything is chosen by now.
        "test_accuracy": _accuracy(choice.solution, choice.classes, score),
        "val_accuracy": choice.accuracy,
        "probe_penalty": choice.penalty,
        "probe_at_edge": float(at_edge),
    }


def refitted_probe(
    z: Array, y: Array, split: Split, config: ProbeConfig | None = None
) -> dict[str, float]:
    """Return the accuracy of a classifier that learns from validation nodes too, once chosen.

    The penalty is chosen as in `linear_probe`; the classifier with that penalty then learns from
    training and validation nodes together. On a random split that is 20 % of the labels, as BGRL
    and its family are scored; a split that `check_refit` refuses is refused. The keys are
    `refit_test_accuracy`, `refit_penalty` and `refit_at_edge`, as `probe_at_edge`.
    """
    check_refit(y, split)
    learn, select, score = _parts(z, y, split)
    choice, at_edge = _choose(learn, select, config or ProbeConfig())
    return {
        "refit_test_accuracy": _refitted_accuracy(choice, learn, select, score),
        "refit_penalty": choice.penalty,
        "refit_at_edge": float(at_edge),
    }


def check_refit(y: Array, split: Split) -> None:
    """Refuse a split whose training classes are of equal size while its validation classes are not.

    Public splits are like that. A penalty that is best for equal classes leaves a classifier of
    unequal ones little but the classes' shares, which the bias learns without any penalty.
    """
    classes = as_tensor(y).cpu()
    learn, select, _ = split_rows(split)
    present, counts = torch.unique(classes[learn], return_counts=True)
    added = (classes[select] == present[:, None]).sum(dim=1)
    if bool((counts == counts[0]).all()) and _differ(added):
        raise UserError(
            f"the task probe-refit adds validation nodes to training nodes, and these are "
            f"{int(counts[0])} of each class while those are not, as in a public split: take the "
            "task probe, or set split=random"
        )


def probe_over_splits(z: Array, y: Array, seed: int, splits: int = 20) -> dict[str, float]:
    """Return both probes over several random splits, 10 % training and 10 % validation nodes each.

    Args:
        z: Embedding [N, d].
        y: Classes [N], below 0 where a node has none.
        seed: Root seed; split i is drawn from its stream `probe-split/i`.
        splits: How many.

    Returns:
        Means `splits_test_accuracy` and `splits_refit_test_accuracy`, sample standard deviations,
        which end in `_std` (0 for one split), and `splits_at_edge`: the share of the splits whose
        penalty is the strongest or the weakest that was tried.
    """
    labeled = (as_tensor(y).cpu() >= 0).nonzero().squeeze(1)
    values: dict[str, list[float]] = {"splits_test_accuracy": [], "splits_refit_test_accuracy": []}
    at_edges: list[bool] = []
    for i in range(splits):
        order = labeled[torch.randperm(len(labeled), generator=stream(seed, f"probe-split/{i}"))]
        learn, select, score = _parts(z, y, _random_split(order, len(as_tensor(y))))
        choice, at_edge = _choose(learn, select, ProbeConfig())
        test_accuracy = _accuracy(choice.solution, choice.classes, score)
        values["splits_test_accuracy"].append(test_accuracy)
        refitted = _refitted_accuracy(choice, learn, select, score)
        values["splits_refit_test_accuracy"].append(refitted)
        at_edges.append(at_edge)
    metrics = {name: fmean(each) for name, each in values.items()}
    for name, each in values.items():
        metrics[f"{name}_std"] = stdev(each) if splits > 1 else 0.0
    return {**metrics, "splits_at_edge": fmean(at_edges)}


def predictions(logits: Array, y: Array, split: Split) -> dict[str, float]:
    """Return the accuracy of a classifier's own `logits` [N, C] on each part, as fractions.

    For methods that learn from labels and need no probe: `y` holds the classes [N]. The keys are
    `train_accuracy`, `val_accuracy`, `test_accuracy`.
    """
    names = ("train_accuracy", "val_accuracy", "test_accuracy")
    parts = _parts(dense_embedding(logits), y, split)
    return {
        name: float((part.z.argmax(dim=1) == part.y).double().mean())
        for name, part in zip(names, parts, strict=True)
    }


def _parts(z: Array, y: Array, split: Split) -> tuple[_Part, _Part, _Part]:
    embedding, classes = finite_embedding(z), as_tensor(y).cpu()
    learn, select, score = (
        _Part(embedding.index_select(0, rows), classes[rows]) for rows in split_rows(split)
    )
    return learn, select, score


def _choose(learn: _Part, select: _Part, config: ProbeConfig) -> tuple[_Choice, bool]:
    """Return the best classifier of the path, and whether it stands at the path's edge."""
    classes, targets = torch.unique(learn.y, return_inverse=True)
    regression = Regression(learn.z.to_dense(), targets)
    select = select._replace(z=select.z.double())  # once for all penalties

    def scored(solution: Solution, penalty: float) -> _Choice:
        accuracy, loss = _validation(solution, classes, select)
        return _Choice(solution, classes, penalty, accuracy, loss)

    path: list[_Choice] = []
    before = last = regression.prior().theta
    for penalty in _penalties(config):
        # The next optimum is expected as far from the last as that is from the one before it.
        solution = regression.solve(penalty, 2 * last - before, config.tolerance)
        before, last = last, solution.theta
        path.append(scored(solution, penalty))
        best = max(path, key=lambda choice: (choice.accuracy, -choice.loss))
        lowest = min(path, key=lambda choice: choice.loss)
        if not any(choice is best or choice is lowest for choice in path[-config.patience :]):
            break
    at_edge = best is path[0] or best is path[-1]
    return scored(regression.solve(best.penalty, best.solution.theta), best.penalty), at_edge


def _refitted_accuracy(choice: _Choice, learn: _Part, select: _Part, score: _Part) -> float:
    """Return the accuracy of the choice's penalty on training and validation nodes together."""
    both = _Part(torch.cat([learn.z, select.z]), torch.cat([learn.y, select.y]))
    classes, targets = torch.unique(both.y, return_inverse=True)
    solution = Regression(both.z.to_dense(), targets).solve(choice.penalty)
    return _accuracy(solution, classes, score)


def _differ(counts: Tensor) -> bool:
    """Return whether counts differ by more than chance."""
    from scipy.stats import chisquare  # takes long to load, and few need it

    return float(chisquare(counts.numpy()).pvalue) < _CHANCE


def _penalties(config: ProbeConfig) -> list[float]:
    """Return the penalties of the path, the strongest first."""
    decades = math.log10(config.strongest / config.weakest)
    steps = round(decades * config.per_decade) + 1
    return [config.strongest * 10 ** (-step / config.per_decade) for step in range(steps)]


def _validation(solution: Solution, classes: Tensor, part: _Part) -> tuple[float, float]:
    """Return accuracy and loss on validation nodes; the loss on those of learned classes."""
    logits = _logits(solution, part.z)
    has_class = torch.isin(part.y, classes)
    targets = torch.searchsorted(classes, part.y[has_class])
    loss = float(cross_entropy(logits[has_class], targets)) if has_class.any() else 0.0
    return float((classes[logits.argmax(dim=1)] == part.y).double().mean()), loss


def _random_split(order: Tensor, nodes: int) -> Split:
    """Return masks [N] of the first tenth, the second tenth and the rest of the nodes `order`."""
    tenth = max(len(order) // 10, 1)
    masks = torch.zeros(3, nodes, dtype=torch.bool)
    for mask, part in zip(masks, order.tensor_split([tenth, 2 * tenth]), strict=True):
        mask[part] = True
    return masks[0], masks[1], masks[2]


def _logits(solution: Solution, z: Tensor) -> Tensor:
    return z.double() @ solution.weight + solution.bias


def _accuracy(solution: Solution, classes: Tensor, part: _Part) -> float:
    """Return the share of a part's nodes whose class the classifier predicts."""
    predicted = classes[_logits(solution, part.z).argmax(dim=1)]
    return float((predicted == part.y).double().mean())
