"""Features averaged over neighborhoods: what a training has to do better than."""

from __future__ import annotations

from typing import Annotated

import torch
from pydantic import AfterValidator, Field
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.scratch import flat_rows, let_go, scratch
from homogcl.data.mapped import is_on_disk
from homogcl.methods.base import Method, Sizes
from homogcl.methods.slabs import column_slabs, dense_rows, row_slabs
from homogcl.nn.operators import normalized
from homogcl.nn.unit_rows import of_length


def ascending(powers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers; refuse an empty list, one below 0, and a number not above the last."""
    if not powers or powers[0] < 0 or list(powers) != sorted(set(powers)):
        raise ValueError("must be numbers from 0 on in ascending order")
    return powers


Powers = Annotated[tuple[int, ...], AfterValidator(ascending)]  # of Â, a block each


class Propagation(Method):
    """Propagated features: averages over neighborhoods side by side, nothing is learned.

        Z = [w L(X), L(Â X), L(Â² X), ...],   Â = D̃^-1/2 (A + I) D̃^-1/2

    where L scales rows to length 1 and leaves rows of zeros. Edge weights count in Â. Columns are
    computed slab by slab, so that beside Z and Â only two slabs are in memory.
    """

    name = "Propagation"

    class Config(Config):
        """Settings of the blocks."""

        powers: Powers = (0, 1, 2, 3, 4, 5, 6)
        feature_weight: float = Field(default=0.3, gt=0)  # w, of the block of power 0

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Keep the settings."""
        super().__init__()
        self.config = config

    def embed(self, graph: Data) -> Tensor:
        """Return the blocks side by side, [N, number of powers * d]."""
        nodes, width = graph.x.shape
        powers = self.config.powers
        operator = normalized(graph)
        shape = (nodes, len(powers), width)
        if is_on_disk(graph):
            z = scratch(shape, graph.x.dtype)
        else:
            z = graph.x.new_empty(shape, layout=torch.strided)
        for columns in column_slabs(nodes, width):
            h = _columns(graph, columns)
            for power in range(powers[-1] + 1):
                h = h if power == 0 else operator(h, h.new_zeros(1))
                if power in powers:
                    z[:, powers.index(power), columns] = h
                    let_go(z)
        for rows in row_slabs(z):
            z[rows] = of_length(z[rows].flatten(0, 1), 1.0).view_as(z[rows])
            if powers[0] == 0:
                z[rows, 0] *= self.config.feature_weight
            let_go(z)
        return flat_rows(z)


def _columns(graph: Data, columns: slice) -> Tensor:
    """Return some columns of the features, dense, [N, c]."""
    x: Tensor = graph.x
    h = x.new_empty(x.size(0), columns.stop - columns.start, layout=torch.strided)
    for rows, part in dense_rows(graph):
        h[rows] = part[:, columns]
    return h
