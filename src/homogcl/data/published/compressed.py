"""Sparse matrices from files that nobody vouches for."""

from __future__ import annotations

from typing import Any

import numpy as np


def checked(matrix: Any) -> Any:
    """Return a scipy CSR, CSC or BSR matrix whose parts fit together; ValueError otherwise.

    Compiled code trusts them, and reads or writes elsewhere if they do not. scipy's own check
    looks at the order of the pointers only where the last of them says that there are entries.
    """
    matrix.check_format(full_check=True)
    if len(matrix.indptr) > 1 and np.diff(matrix.indptr).min() < 0:
        raise ValueError("index pointers must not decrease")
    return matrix
