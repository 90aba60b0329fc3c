"""Nearest neighbors as a classifier: what the classes of the nearest training nodes tell."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from homogcl.core.nearest import nearest_rows
from homogcl.evaluate.arrays import Array, Split, as_tensor, dense_embedding, split_rows

KS = (1, 3, 5, 10, 20, 50)


def knn_scores(z: Array, y: Array, split: Split, ks: tuple[int, ...] = KS) -> dict[str, float]:
    """Return the accuracy of the majority among the k nearest training nodes, by cosine.

    k is the one of `ks` with the best accuracy on validation nodes, the smallest among equal ones.
    Of classes with as many votes, the lower number wins, as in scikit-learn.

    Args:
        z: Embedding [N, d].
        y: Classes [N], counted from 0.
        split: Masks [N] of the nodes that vote, that choose k, and that the choice is scored on.
        ks: What k is chosen from; where there are fewer training nodes, all of them vote.

    Returns:
        `knn_test_accuracy`, `knn_val_accuracy` and `knn_k`.
    """
    unit = normalize(dense_embedding(z)).cpu()
    classes = as_tensor(y).cpu()
    voters, choosing, scored = split_rows(split)
    possible = sorted({min(k, len(voters)) for k in ks})
    accuracies = _accuracies(unit, classes, voters, choosing, possible)
    best = max(range(len(possible)), key=lambda i: (accuracies[i], -possible[i]))
    # Only this line reads labels of test nodes, and k is chosen by now.
    [test_accuracy] = _accuracies(unit, classes, voters, scored, [possible[best]])
    return {
        "knn_test_accuracy": test_accuracy,
        "knn_val_accuracy": accuracies[best],
        "knn_k": float(possible[best]),
    }


def _accuracies(
    unit: Tensor, y: Tensor, voters: Tensor, scored: Tensor, ks: list[int]
) -> list[float]:
    nearest, _ = nearest_rows(unit[scored], unit[voters], max(ks))
    candidates = y[voters][nearest]  # [n, k]
    votes = torch.zeros(len(scored), int(y[voters].max()) + 1)  # [n, C]
    accuracies = {}
    for k in range(1, max(ks) + 1):
        votes.scatter_add_(1, candidates[:, k - 1 : k], torch.ones(len(scored), 1))
        accuracies[k] = float((votes.argmax(dim=1) == y[scored]).double().mean())
    return [accuracies[k] for k in ks]
