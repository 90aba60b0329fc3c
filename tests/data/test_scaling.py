"""Scaling: what a look decides, the numbers of scikit-learn, and the same bits for later graphs."""

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.preprocessing import RobustScaler, StandardScaler
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.features import FeatureKind, normalize, sparse_features
from homogcl.data.scaling import FAR, NORMAL, Number, Scaling, scaling_of

RNG = np.random.default_rng(0)
AGE = RNG.normal(40, 10, 200)
INCOME = RNG.lognormal(10, 1.5, 200)
WORDS = RNG.poisson(0.2, (200, 30)).astype(float)


def tensor(*columns: NDArray[np.float64]) -> Tensor:
    return torch.from_numpy(np.column_stack(columns).astype(np.float32))


def rules(x: Tensor, kind: FeatureKind = "auto") -> list[str]:
    return scaling_of(x, kind).rules(x.size(1))


def test_numbers_are_scaled_by_column_and_heavy_tails_robustly() -> None:
    x = tensor(AGE, INCOME)
    assert rules(x) == ["standard", "robust"]
    scaled = scaling_of(x, "auto").apply(x)
    torch.testing.assert_close(
        scaled[:, :1], torch.from_numpy(StandardScaler().fit_transform(x[:, :1].numpy()))
    )
    robust = RobustScaler().fit_transform(x[:, 1:].numpy()) * NORMAL
    torch.testing.assert_close(scaled[:, 1:], torch.from_numpy(np.clip(robust, -FAR, FAR)))
    assert float(scaled[:, 1].max()) == FAR


def test_age_and_income_do_not_become_constants() -> None:
    x = tensor(AGE, INCOME)
    assert float(normalize(x)[:, 1].std()) < 0.03
    assert float(scaling_of(x, "auto").apply(x).std(dim=0).min()) > 0.5


def test_one_outlier_does_not_flatten_a_column() -> None:
    values = np.append(RNG.normal(size=1000), 1e6)
    assert rules(tensor(values)) == ["robust"]
    assert rules(tensor(values[:-1])) == ["standard"]


def test_words_are_divided_by_their_row_and_nothing_is_stored() -> None:
    x = tensor(WORDS)
    scaling = scaling_of(x, "auto")
    assert scaling == Scaling(words="all")
    assert torch.equal(scaling.apply(x), normalize(x))


def test_numbers_beside_words_are_told_from_them() -> None:
    common = RNG.poisson(2, 200).astype(np.float64) + 1
    x = tensor(AGE, WORDS, INCOME, common)
    assert rules(x)[0] == "standard"
    assert rules(x)[31] == "robust"
    assert set(rules(x)[1:31]) == {rules(x)[32]} == {"divided by the row's sum"}
    scaled = scaling_of(x, "auto").apply(x)
    bag = [*range(1, 31), 32]
    torch.testing.assert_close(scaled[:, bag], normalize(x[:, bag]))


@pytest.mark.parametrize(("columns", "rule"), [(15, "standard"), (16, "divided by the row's sum")])
def test_a_few_columns_that_are_mostly_zero_are_no_words(columns: int, rule: str) -> None:
    x = tensor(3 * WORDS[:, :columns])
    assert set(rules(x)) == {rule}


def test_truth_values_stay_and_constants_become_zero() -> None:
    x = tensor((AGE > 40).astype(float), np.full(200, 7.1), AGE)
    scaled = scaling_of(x, "auto").apply(x)
    assert torch.equal(scaled[:, 0], x[:, 0])
    assert float(scaled[:, 1].abs().max()) < 1e-6


def test_roles_prevail_over_the_look() -> None:
    x = tensor(AGE, AGE, AGE)
    rules = scaling_of(x, "auto", ["flag", "word", "number"]).rules(3)
    assert rules == ["as it is", "divided by the row's sum", "standard"]


@pytest.mark.parametrize(("kind", "rule"), [("standard", "standard"), ("robust", "robust")])
def test_a_rule_can_be_asked_for(kind: FeatureKind, rule: str) -> None:
    assert rules(tensor(AGE, INCOME), kind) == [rule, rule]


@pytest.mark.parametrize("kind", ["raw", "structural"])
def test_nothing_is_done_where_nothing_is_asked_for(kind: FeatureKind) -> None:
    x = tensor(AGE, INCOME)
    assert scaling_of(x, kind).apply(x) is x


matrices = arrays(
    "float32",
    st.tuples(st.integers(2, 12), st.integers(1, 24)),
    elements=st.floats(-50, 50, width=32),
)


@given(matrices)
def test_what_was_learned_gives_each_row_the_same_whatever_stands_beside_it(
    matrix: NDArray[np.float32],
) -> None:
    x = torch.from_numpy(matrix)
    scaling = scaling_of(x, "auto")
    whole = scaling.apply(x).to_dense()
    assert bool(torch.isfinite(whole).all())
    for row in range(x.size(0)):
        torch.testing.assert_close(scaling.apply(x[row : row + 1]).to_dense(), whole[row : row + 1])


@given(matrices)
def test_layouts_are_scaled_alike(matrix: NDArray[np.float32]) -> None:
    x = torch.from_numpy(matrix)
    scaling = scaling_of(x, "auto")
    sparse = sparse_features(scipy.sparse.csr_matrix(matrix))
    torch.testing.assert_close(scaling.apply(sparse).to_dense(), scaling.apply(x).to_dense())


def test_sparse_columns_are_not_filled() -> None:
    matrix = scipy.sparse.random_array((400, 300), density=0.01, rng=1).tocsr()
    matrix.data -= 0.5
    x = sparse_features(scipy.sparse.csr_matrix(matrix))
    scaled = scaling_of(x, "auto").apply(x)
    assert scaled.layout == torch.sparse_csr
    assert scaled.values().numel() == x.values().numel()
    assert set(rules(x)) <= {"standard", "as it is", "divided by the row's sum"}


def test_other_widths_and_wrong_columns_are_refused() -> None:
    scaling = scaling_of(tensor(AGE, INCOME), "auto")
    with pytest.raises(UserError, match="has 1 features, but 2 were learned from"):
        scaling.apply(tensor(AGE))
    damaged = Scaling(2, (), (Number(7, "standard", 0.0, 1.0),))
    with pytest.raises(UserError, match="columns that are not there"):
        damaged.apply(tensor(AGE, INCOME))
