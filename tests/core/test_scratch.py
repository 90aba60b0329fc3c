"""Matrices in temporary files behave as others do, and take no memory when they are let go."""

import torch

from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.core.scratch import column_view, flat_rows, let_go, scratch


def test_numbers_stay_when_pages_are_let_go() -> None:
    tensor = scratch((300, 4), torch.float32)
    assert not tensor.any()
    expected = torch.arange(1200.0).view(300, 4)
    tensor.copy_(expected)
    let_go(tensor)
    torch.testing.assert_close(tensor, expected, rtol=0, atol=0)


def test_other_tensors_are_left_alone() -> None:
    tensor = torch.ones(3)
    let_go(tensor)
    assert tensor.tolist() == [1, 1, 1]
    assert scratch((0, 3), torch.float32).shape == (0, 3)


def test_flat_rows_can_be_let_go_too() -> None:
    tensor = scratch((50, 2, 3), torch.float32)
    tensor += 2
    flat = flat_rows(tensor)
    let_go(flat)
    assert flat.shape == (50, 6)
    assert bool((flat == 2).all())
    assert flat_rows(torch.ones(2, 2, 2)).shape == (2, 4)


def test_a_view_of_columns_can_be_let_go_too() -> None:
    tensor = scratch((50, 6), torch.float32)
    view = column_view(tensor, slice(2, 4))
    tensor[:, 3] = 1
    let_go(view)
    assert view.tolist() == [[0.0, 1.0]] * 50
    assert hasattr(view, "scratch_pages")
    assert not hasattr(column_view(torch.ones(2, 3), slice(0, 1)), "scratch_pages")


def test_memory_is_that_of_a_block() -> None:
    tensor = scratch((2**16, 1024), torch.float32)  # 256 MiB
    before = reset_peak()
    for start in range(0, len(tensor), 2**12):
        tensor[start : start + 2**12] = 1
        let_go(tensor)
    assert float(tensor[-1, -1]) == 1
    assert before == 0 or peak_bytes() - before < 2**26
