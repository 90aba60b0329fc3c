"""The vote of nearest neighbors against scikit-learn's classifier."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from homogcl.core.errors import UserError
from homogcl.evaluate.knn import knn_scores

N = 90
TRAIN, VAL, TEST = (np.arange(N) % 3 == part for part in range(3))
SPLIT = (TRAIN, VAL, TEST)


@given(st.integers(0, 2**31), st.integers(2, 5), st.floats(0.2, 2.0))
@settings(max_examples=25, deadline=None)
def test_accuracies_are_those_of_scikit_learn(seed: int, classes: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, N)
    z = np.eye(classes, 6)[y] + noise * rng.standard_normal((N, 6))
    scored = knn_scores(z, y, SPLIT, ks=(1, 4, 7, 100))
    accuracy = {}
    for k in (1, 4, 7, 30):
        oracle = KNeighborsClassifier(k, metric="cosine", algorithm="brute").fit(z[TRAIN], y[TRAIN])
        accuracy[k] = [oracle.score(z[part], y[part]) for part in (VAL, TEST)]
    best = max(accuracy, key=lambda k: (accuracy[k][0], -k))
    assert scored["knn_k"] == best
    assert scored["knn_val_accuracy"] == pytest.approx(accuracy[best][0])
    assert scored["knn_test_accuracy"] == pytest.approx(accuracy[best][1])


def test_test_labels_do_not_choose_k() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    z = np.eye(3)[y] + 0.3 * rng.standard_normal((N, 3))
    other = np.where(TEST, (y + 1) % 3, y)
    one, two = (knn_scores(z, labels, SPLIT) for labels in (y, other))
    assert one["knn_k"] == two["knn_k"]
    assert one["knn_val_accuracy"] == two["knn_val_accuracy"]
    assert one["knn_test_accuracy"] > 0.8 > two["knn_test_accuracy"]


def test_nodes_without_label_neither_vote_nor_count() -> None:
    rng = np.random.default_rng(1)
    z, y = rng.standard_normal((N, 4)), rng.integers(0, 3, N)
    hidden = np.arange(N) % 5 == 0
    expected = knn_scores(z[~hidden], y[~hidden], (TRAIN[~hidden], VAL[~hidden], TEST[~hidden]))
    masked = np.where(hidden, -1, y)
    assert knn_scores(z, masked, (TRAIN & ~hidden, VAL & ~hidden, TEST & ~hidden)) == expected


def test_an_empty_part_is_named() -> None:
    nothing = np.zeros(N, dtype=bool)
    with pytest.raises(UserError, match="no labeled node in the validation part"):
        knn_scores(np.eye(N), np.zeros(N, dtype=int), (TRAIN, nothing, TEST))
