"""Networks from the vectors of two nodes to a logit of their edge."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from homogcl.nn.dropout import dropped


class EdgeDecoder(nn.Module):
    """z_i * z_j -> dropout -> linear -> ReLU -> linear, a logit for each pair."""

    def __init__(self, dim: int, hidden_dim: int, dropout: float) -> None:
        """Build the layers for vectors of width `dim`."""
        super().__init__()
        self.dropout = dropout
        self.hidden = nn.Linear(dim, hidden_dim)
        self.last = nn.Linear(hidden_dim, 1)

    def forward(self, z: Tensor, pairs: Tensor, rng: torch.Generator | None = None) -> Tensor:
        """Return the logits of the pairs [2, P] of rows of `z` [N, d], [P].

        With a generator, inputs are dropped.
        """
        both = z.index_select(0, pairs[0]) * z.index_select(0, pairs[1])
        x = both if rng is None else dropped(both, self.dropout, rng)
        logits: Tensor = self.last(self.hidden(x).relu())
        return logits.squeeze(1)
