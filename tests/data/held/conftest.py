"""One small graph with unicode ids, weights, a duplicate and a self-loop, for many forms."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray


@dataclass(frozen=True)
class Listed:
    """Edges and nodes as somebody could list them."""

    ids: list[str]
    pairs: NDArray[np.int64]  # [rows, 2]
    weights: list[float]
    ages: list[float]

    @property
    def sources(self) -> list[str]:
        return [self.ids[number] for number in self.pairs[:, 0]]

    @property
    def targets(self) -> list[str]:
        return [self.ids[number] for number in self.pairs[:, 1]]


@pytest.fixture
def listed() -> Listed:
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 0), (4, 4)]
    return Listed(
        ["Ünal", "北京", "ő", "Ж", "allein", "é"],
        np.array(pairs),
        [1.0, 2.0, 3.0, 4.0, 2.0, 1.0],
        [30.0, 31.0, 45.0, 60.0, 22.0, 38.0],
    )


# What must come of it, by number: the repeated edge has the mean of its weights, both ways.
EXPECTED = {(0, 1): 1.5, (1, 2): 2.0, (2, 3): 3.0, (0, 3): 4.0}
