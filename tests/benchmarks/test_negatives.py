"""Errors of sampled negatives: none where all are taken, fewer where more are."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from benchmarks import negatives


def test_vectors_lie_on_the_sphere_around_their_centers() -> None:
    z = negatives.clustered(300, 4, 8, torch.Generator().manual_seed(0))
    torch.testing.assert_close(z.norm(dim=1), torch.ones(300))
    cosines = z @ z.t()
    # Within a cluster cosines are high, between clusters they are not.
    assert float(cosines.quantile(0.9)) > 0.6
    assert float(cosines.median()) < 0.4


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that take a moment."""
    monkeypatch.setattr(negatives, "COUNTS", (10, 60, 240))
    monkeypatch.setattr(negatives, "DRAWS", 4)


@pytest.mark.usefixtures("few")
def test_errors_fall_with_the_sample_and_vanish_where_it_is_everything(tmp_path: Path) -> None:
    errors = negatives.row_sum_errors(nodes=240, clusters=4, dim=8)
    assert len(errors) == 2 * 2 * 3
    for tau in negatives.TEMPERATURES:
        uniform, stratified = (
            [errors[f"{kind} tau={tau} M={count}"] for count in (10, 60, 240)]
            for kind in ("uniform", "stratified")
        )
        assert uniform[0] > uniform[1] > uniform[2]
        assert uniform[2] == pytest.approx(0, abs=1e-6)
        assert stratified[0] < uniform[0]
    negatives.draw_picture(errors, tmp_path / "new" / "picture.svg")
    assert "stratified, τ = 0.2" in (tmp_path / "new" / "picture.svg").read_text("utf-8")


@pytest.mark.usefixtures("few")
def test_errors_of_loss_and_gradient_fall_with_the_sample() -> None:
    errors = negatives.loss_errors(nodes=240, clusters=4, dim=8)
    assert set(errors) == {
        f"{what} M={count}" for what in ("loss", "gradient") for count in (10, 60)
    }
    for what in ("loss", "gradient"):
        assert 0 < errors[f"{what} M=60"] < errors[f"{what} M=10"]
