from __future__ import annotations

import torch

from homogcl.losses.sketch import Sketch
from tests.reference.neighbors import LargestTensor


def vectors(rows: int, seed: int = 1) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(rows, 3, generator=rng, dtype=torch.float64)


def matrix(sketch: Sketch, h: torch.Tensor) -> torch.Tensor:
    """The whole of P, [rows, N]."""
    p = torch.full((sketch.rows, h.size(0)), torch.nan, dtype=h.dtype)
    for rows, block in sketch.blocks(h):
        p[rows] = block
    return p


def test_result_and_gradient_are_those_of_the_whole_matrix() -> None:
    sketch, h = Sketch(rows=8, seed=3, block=3), vectors(11).requires_grad_()
    p = matrix(sketch, h.detach())
    assert bool(p.isfinite().all())
    torch.testing.assert_close(sketch(h), p @ h)
    weight = vectors(8, seed=2)
    (result,) = torch.autograd.grad((weight * sketch(h)).sum(), h)
    torch.testing.assert_close(result, p.t() @ weight)


def test_sketch_has_the_gradient_of_its_value() -> None:
    assert torch.autograd.gradcheck(Sketch(5, seed=1, block=2), (vectors(6).requires_grad_(),))


def test_a_seed_stands_for_one_matrix() -> None:
    h = vectors(11)
    assert torch.equal(Sketch(6, seed=1)(h), Sketch(6, seed=1)(h))
    assert not torch.equal(Sketch(6, seed=1)(h), Sketch(6, seed=2)(h))


def test_entries_are_normal_with_variance_one_over_the_rows() -> None:
    p = matrix(Sketch(400, seed=0, block=64), vectors(500))
    z = p * 400**0.5  # 200,000 draws of N(0, 1), if all is well
    # Five standard errors of each moment.
    assert abs(float(z.mean())) < 5 / 200_000**0.5
    assert abs(float(z.square().mean()) - 1) < 5 * (2 / 200_000) ** 0.5
    assert abs(float(z.pow(4).mean()) - 3) < 5 * (96 / 200_000) ** 0.5


def test_covariance_is_kept_on_average() -> None:
    h = vectors(30)
    sketches = [Sketch(20, seed)(h) for seed in range(400)]
    mean = torch.stack([s.t() @ s for s in sketches]).mean(0)
    deviation = torch.stack([s.t() @ s for s in sketches]).std(0) / 400**0.5
    assert bool(((mean - h.t() @ h).abs() < 5 * deviation).all())


def test_only_one_block_of_the_matrix_is_held() -> None:
    h = vectors(500).requires_grad_()
    with LargestTensor() as largest:
        torch.autograd.grad(Sketch(400, seed=0, block=20)(h).sum(), h)
    assert largest.numel == 20 * 500
