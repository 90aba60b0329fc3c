"""The measures of the probe: what they compare is one optimum."""

from __future__ import annotations

import pytest
import torch

from benchmarks import probe


def test_both_solvers_reach_one_optimum() -> None:
    rng = torch.Generator().manual_seed(0)
    y = torch.arange(90) % 3
    x = torch.randn(90, 6, generator=rng, dtype=torch.float64) + y[:, None]
    measured = probe._one_penalty(x, y, 1e-2)
    assert measured["loss_gap"] == pytest.approx(0, abs=1e-8)
    assert measured["one_penalty"] > 0
    assert measured["sklearn"] > 0


@pytest.mark.usefixtures("data_root")
def test_a_measure_has_all_that_its_rows_need() -> None:
    measured = probe.probe_seconds("cora", "random")
    assert set(measured) == {"ours", "adam", "one_penalty", "sklearn", "loss_gap"}
    assert abs(measured["loss_gap"]) < 1e-5
