"""The curvature's parts against the whole second derivative of a loop."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from homogcl.evaluate import curvature
from homogcl.evaluate.curvature import preconditioner

CLASSES, COLUMNS = 3, 4
PENALTIES = torch.tensor([0.3, 0.3, 0.3, 0.0], dtype=torch.float64)


def problem(n: int) -> tuple[Tensor, Tensor]:
    """Return a classifier [C, r + 1] and rows [n, r + 1] whose last coordinate is 1."""
    rng = torch.Generator().manual_seed(n)
    rows = torch.randn(n, COLUMNS, generator=rng, dtype=torch.float64)
    rows[:, -1] = 1
    return torch.randn(CLASSES, COLUMNS, generator=rng, dtype=torch.float64), rows


def blocks(theta: Tensor, rows: Tensor) -> Tensor:
    """Return each class's block of the second derivative by a loop, [C, r + 1, r + 1]."""
    total = torch.zeros(CLASSES, COLUMNS, COLUMNS, dtype=torch.float64)
    for row in rows:
        p = (theta @ row).softmax(dim=0)
        for c in range(CLASSES):
            total[c] += p[c] * (1 - p[c]) * torch.outer(row, row) / len(rows)
    return total + PENALTIES.diag()


def centered(step: Tensor) -> Tensor:
    return step - step.mean(dim=0)


def a_slope() -> Tensor:
    rng = torch.Generator().manual_seed(7)
    return centered(torch.randn(CLASSES, COLUMNS, generator=rng, dtype=torch.float64))


def test_few_rows_divide_by_the_diagonal() -> None:
    theta, rows = problem(20)
    expected = centered(a_slope() / blocks(theta, rows).diagonal(dim1=1, dim2=2))
    torch.testing.assert_close(preconditioner(theta, rows, PENALTIES)(a_slope()), expected)


def test_many_rows_divide_by_blocks_as_far_as_rows_are_to_be_trusted() -> None:
    theta, rows = problem(2000)
    part = rows[:: 2000 // (COLUMNS * curvature.ROWS_PER_COLUMN)]
    estimates, exact = blocks(theta, part) - PENALTIES.diag(), blocks(theta, rows)
    quotients = []
    for c in range(CLASSES):
        p = [float((theta @ row).softmax(dim=0)[c]) for row in part]
        weights = [each * (1 - each) for each in p]
        effective = sum(weights) ** 2 / sum(weight**2 for weight in weights)
        trust = effective / (effective + COLUMNS)
        diagonal = exact[c].diagonal()
        block = trust * estimates[c] + ((1 - trust) * (diagonal - PENALTIES) + PENALTIES).diag()
        block = block + 1e-6 * diagonal.diag()
        quotients.append(torch.linalg.solve(block, a_slope()[c]))
    expected = centered(torch.stack(quotients))
    torch.testing.assert_close(preconditioner(theta, rows, PENALTIES)(a_slope()), expected)


@pytest.mark.parametrize("n", [20, 2000])
def test_division_is_symmetric_and_never_negative(n: int) -> None:
    theta, rows = problem(n)
    divide = preconditioner(theta, rows, PENALTIES)
    units = torch.eye(CLASSES * COLUMNS, dtype=torch.float64).view(-1, CLASSES, COLUMNS)
    matrix = torch.stack([divide(centered(unit)).flatten() for unit in units])
    torch.testing.assert_close(matrix, matrix.T)
    assert float(torch.linalg.eigvalsh(matrix).min()) > -1e-12


def test_a_class_without_doubt_has_a_curvature_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curvature, "ROWS_PER_COLUMN", 1)
    theta, rows = problem(50)
    theta = theta.clone()
    theta[0, -1] = -1e4  # the probability of class 0 is 0, and so is its weight
    assert preconditioner(theta, rows, PENALTIES)(a_slope()).isfinite().all()
