"""Row normalization against scikit-learn; layout by density."""

import numpy as np
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from sklearn.preprocessing import normalize as sklearn_normalize

from homogcl.data.features import compact, normalize, sparse_features

matrices = arrays(
    "float32",
    array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.one_of(st.just(0.0), st.floats(-50, 50, width=32)).filter(
        lambda value: value == 0 or abs(value) > 1e-3
    ),
)


@given(matrices)
def test_rows_are_divided_by_their_absolute_sums(matrix: NDArray[np.float32]) -> None:
    expected = torch.from_numpy(sklearn_normalize(matrix, norm="l1"))
    x = torch.from_numpy(matrix)
    torch.testing.assert_close(normalize(x), expected)
    sparse = normalize(sparse_features(scipy.sparse.csr_matrix(matrix)))
    assert sparse.layout == torch.sparse_csr
    torch.testing.assert_close(sparse.to_dense(), expected)
    assert torch.equal(x, torch.from_numpy(matrix))


@given(matrices)
def test_layouts_hold_the_same_values(matrix: NDArray[np.float32]) -> None:
    x = torch.from_numpy(matrix)
    sparse = sparse_features(scipy.sparse.csr_matrix(matrix))
    assert sparse.values().numel() == int((x != 0).sum())
    for form in (x, sparse):
        assert torch.equal(compact(form).to_dense(), x)
        assert compact(form).layout == compact(x).layout


@pytest.mark.parametrize(("nonzero", "sparse"), [(0, True), (49, True), (50, False), (1000, False)])
def test_layout_follows_the_share_of_nonzeros(nonzero: int, sparse: bool) -> None:
    x = torch.zeros(1000, dtype=torch.float64)
    x[:nonzero] = 2
    form = compact(x.view(20, 50))
    assert (form.layout == torch.sparse_csr) == sparse
    assert form.dtype == torch.float32
    assert torch.equal(form.to_dense(), x.view(20, 50).float())
