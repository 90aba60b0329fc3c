from __future__ import annotations

import pytest
import torch
from torch.nn.functional import dropout

from homogcl.nn.dropout import dropped


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.8])
def test_by_torchs_own_generator_it_is_torchs_dropout(rate: float) -> None:
    x = torch.randn(40, 6)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        expected = dropout(x, rate)
        torch.manual_seed(1)
        assert torch.equal(dropped(x, rate), expected)


def test_draws_come_from_the_generator_alone() -> None:
    x, before = torch.ones(30, 5), torch.get_rng_state()
    first, second = (dropped(x, 0.5, torch.Generator().manual_seed(seed)) for seed in (2, 2))
    assert torch.equal(first, second)
    assert torch.equal(torch.get_rng_state(), before)
    assert set(first.flatten().tolist()) == {0.0, 2.0}
    assert not torch.equal(dropped(x, 0.5, torch.Generator().manual_seed(3)), first)


def test_sparse_features_lose_stored_values_alone() -> None:
    dense = torch.eye(20) + torch.eye(20).roll(1, 0)
    result = dropped(dense.to_sparse_csr(), 0.5, torch.Generator().manual_seed(0))
    assert result.layout == torch.sparse_csr
    left = result.to_dense()
    assert bool((left[dense == 0] == 0).all())
    assert set(left[dense == 1].tolist()) == {0.0, 2.0}


def test_what_is_dropped_has_no_gradient() -> None:
    x = torch.randn(12, 4, dtype=torch.float64, requires_grad=True)
    result = dropped(x, 0.4, torch.Generator().manual_seed(0))
    (gradient,) = torch.autograd.grad(result.sum(), x)
    expected = torch.where(result == 0, 0.0, 1 / 0.6).double()
    torch.testing.assert_close(gradient, expected)
