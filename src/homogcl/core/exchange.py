"""Rows that processes give each other, where each holds a part of a matrix.

The processes have a group of their own for it, so that a thread may fetch the rows of the next
steps while these average gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist
from torch import Tensor

from homogcl.core.distributed import Ranks, patience, waiting

_END = -1  # in place of a number of rows


class Exchange:
    """Processes that ask each other for rows in rounds: all of them ask, or serve, at a time."""

    def __init__(self, ranks: Ranks, own: Callable[[Tensor], Tensor]) -> None:
        """Join all processes; each does so at the same point.

        Args:
            ranks: The processes.
            own: Returns rows [n, d] of this process's part by their numbers in it, int64 [n].
        """
        self._ranks, self._own = ranks, own
        with waiting():
            self._group = dist.new_group(backend="gloo", timeout=patience())

    def rows(self, wanted: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the rows that each process was asked for by their numbers in its part."""
        counts = torch.tensor([len(numbers) for numbers in wanted])
        asked = self._swapped(counts)
        return self._round(torch.cat(list(wanted)), counts.tolist(), asked.tolist())

    def serve(self) -> None:
        """Give the others their rows until the first process ends it."""
        nothing = torch.zeros(self._ranks.size, dtype=torch.int64)
        while (asked := self._swapped(nothing).tolist())[0] != _END:
            self._round(nothing[:0], nothing.tolist(), asked)

    def end(self) -> None:
        """End `serve` in all other processes; only the first one may."""
        self._swapped(torch.full((self._ranks.size,), _END))

    def _round(self, numbers: Tensor, counts: list[int], asked: list[int]) -> Sequence[Tensor]:
        """Return `counts` rows of each process, and give each the rows that it asked for."""
        rows = self._own(self._swapped(numbers, counts, asked))
        return torch.split(self._swapped(rows, asked, counts), counts)

    def _swapped(
        self, x: Tensor, sent: list[int] | None = None, received: list[int] | None = None
    ) -> Tensor:
        """Return the parts that all processes have for this one; by default, parts of one entry."""
        size = self._ranks.size if received is None else sum(received)
        result = x.new_empty(size, *x.shape[1:])
        with waiting():
            dist.all_to_all_single(result, x.contiguous(), received, sent, group=self._group)
        return result
