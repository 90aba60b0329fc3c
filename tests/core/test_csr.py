from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.csr import counts_before, csr_tensor, places

PARTS = (torch.tensor([0, 2, 2, 3]), torch.tensor([0, 2, 1]), torch.tensor([1.0, 2.0, 3.0]))
# A new process, since torch announces the layout once per process.
FIRST_USE = """
import warnings
import torch
from hypothesis import given
from hypothesis import strategies as st
from homogcl.core.csr import counts_before, csr_tensor, places
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    csr_tensor(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 1))
    warnings.warn("heard")
print([str(each.message) for each in caught])
"""


def test_parts_become_the_matrix_they_describe() -> None:
    dense = csr_tensor(*PARTS, (3, 4)).to_dense()
    assert dense.tolist() == [[1, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 0]]


def test_check_finds_a_column_outside() -> None:
    with pytest.raises(RuntimeError, match="col_indices"):
        csr_tensor(*PARTS, (3, 2), check=True)


def test_announcement_of_the_layout_does_not_reach_users() -> None:
    result = subprocess.run(
        [sys.executable, "-c", FIRST_USE], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "['heard']"


@given(st.lists(st.booleans(), max_size=30))
def test_places_are_those_that_torch_finds(values: list[bool]) -> None:
    mask = torch.tensor(values, dtype=torch.bool)
    assert torch.equal(places(mask), mask.nonzero().squeeze(1))
    assert counts_before(mask).tolist() == [sum(values[:i]) for i in range(len(values) + 1)]
