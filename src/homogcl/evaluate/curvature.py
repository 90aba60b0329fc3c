"""Divisions of a slope by the curvature of a classifier's loss, exact enough to be of help.

The second derivative couples all coefficients of all classes. Its diagonal is enough where rows are
few, since in their principal axes little is beside it. Where rows are many, the block of each class
costs little beside a product with all of them, and brings a solution in far fewer products.
"""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.evaluate.newton import Linear

ROWS_PER_COLUMN = 32  # rows that a block is estimated from, for each of its columns
_SMALLEST = 1e-12  # curvature, as a share of the largest


def preconditioner(theta: Tensor, rows: Tensor, penalties: Tensor) -> Linear:
    """Return the division by the curvature at θ.

    Args:
        theta: The classifier [C, r + 1].
        rows: Coordinates [n, r + 1], the last of them 1.
        penalties: What each squared coefficient costs twice, [r + 1].
    """
    p = (theta.to(rows.dtype) @ rows.T).softmax(dim=0)
    weights = p * (1 - p)  # [C, n]
    diagonal = (weights @ rows.square()).double() / len(rows)
    curvature = diagonal + penalties
    curvature = curvature.clamp(min=float(curvature.max()) * _SMALLEST)
    stride = len(rows) // (ROWS_PER_COLUMN * rows.size(1))
    if stride == 0:
        return lambda slope: _centered(slope / curvature)
    unit = curvature.rsqrt()
    factors = torch.stack(
        [
            _factor(rows[::stride], weight[::stride], own, penalties, scale)
            for weight, own, scale in zip(weights, diagonal, unit, strict=True)
        ]
    )

    def divide(slope: Tensor) -> Tensor:
        return _centered(torch.cholesky_solve((slope * unit)[..., None], factors)[..., 0] * unit)

    return divide


def _centered(step: Tensor) -> Tensor:
    """Return a step [C, r + 1] without what is common to all classes and changes no prediction."""
    return step - step.mean(dim=0)


def _factor(
    rows: Tensor, weight: Tensor, diagonal: Tensor, penalties: Tensor, unit: Tensor
) -> Tensor:
    """Return the Cholesky factor of one class's curvature, in units in which its diagonal is 1."""
    block = ((rows * weight[:, None]).T @ rows).double() / len(rows)
    # The fewer rows have weight, the less is the estimate worth beside the diagonal of all rows.
    effective = float(weight.sum().square() / weight.square().sum().clamp(min=_SMALLEST))
    trust = effective / (effective + len(unit))
    block = trust * block + ((1 - trust) * diagonal + penalties).diag()
    block = block * unit[:, None] * unit
    # Beyond rounding errors of the estimate.
    factor: Tensor = torch.linalg.cholesky(block + 1e-6 * torch.eye(len(unit)).to(block))
    return factor
