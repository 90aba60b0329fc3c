"""Mean similarities of pairs, against slow loops."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from reproduction.pair_similarity import mean_similarities


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(n=st.integers(2, 9), d=st.integers(1, 5), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=25)
def test_similarities_are_the_means_over_all_pairs(n: int, d: int, seed: int) -> None:
    u, v = torch.randn(2, n, d, generator=rng(seed)).unbind()
    cosine = [[float(functional.cosine_similarity(a, b, dim=0)) for b in v] for a in u]
    own = [cosine[i][i] for i in range(n)]
    others = [cosine[i][j] for i in range(n) for j in range(n) if i != j]
    found = mean_similarities(u, v)
    assert found.positive == pytest.approx(sum(own) / n, abs=1e-5)
    assert found.negative == pytest.approx(sum(others) / len(others), abs=1e-5)


def test_mean_similarities_of_one_view_are_its_own() -> None:
    u = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    assert mean_similarities(u, u).positive == pytest.approx(1)
    assert mean_similarities(u, u).negative == pytest.approx(0)
