"""Weights of edges that stand for several steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class StandingWeights(nn.Module):
    """The weights of all edges of a graph, which serve `steps` steps each.

    They are part of a method's state, so that a training resumes with the same weights.
    """

    def __init__(self, steps: int) -> None:
        """Let weights serve `steps` steps."""
        super().__init__()
        self.steps = steps
        self._edges: Tensor | None = None  # of the whole graph, [2, E]
        self._weight = torch.empty(0)  # [E]
        self._left = 0  # steps that the weights still serve

    def begin(self, edges: Tensor) -> None:
        """Take `edges` [2, E] for those of the whole graph; the weights of others never stand."""
        self._edges = edges

    def next_of(self, edges: Tensor) -> Tensor | None:
        """Return the weights of `edges` for this step, [E]; None if they must be computed anew."""
        if edges is not self._edges or not self._left:
            return None
        self._left -= 1
        return self._weight

    def keep(self, edges: Tensor, weight: Tensor) -> int:
        """Keep the weights [E] of `edges` and return how many steps they serve, this one included.

        Those of a part of the graph serve one.
        """
        if edges is not self._edges or self.steps == 1:
            return 1
        self._weight, self._left = weight.detach(), self.steps - 1
        return self.steps

    def get_extra_state(self) -> Tensor:
        """Return the steps left and the weights, whose number is not fixed."""
        return torch.cat([self._weight.new_tensor([self._left]), self._weight])

    def set_extra_state(self, state: Tensor) -> None:
        """Restore them."""
        self._left, self._weight = int(state[0]), state[1:]
