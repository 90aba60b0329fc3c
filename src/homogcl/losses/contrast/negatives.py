"""The negatives of InfoNCE: which pairs the loss sums over, and how.

Their `sums` take the vectors of both views, [N, d], scaled so that products are logits θ/τ, and
leave out the listed pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from torch import Tensor

from homogcl.core.distributed import ALONE, Ranks
from homogcl.losses.contrast.sampled import SampledColumns, sampled_log_sums
from homogcl.losses.contrast.tiles import ACROSS, BOTH, Tiling, Workspace, log_sums
from homogcl.losses.contrast.weighted import Hardness, weighted_sums
from homogcl.nn.sparse import Pattern


@dataclass(frozen=True)
class Sums:
    """Sums over the negatives of each anchor, for the first and for the second view."""

    logs: tuple[Tensor, Tensor]  # over all pairs but the own and the listed, [N] each
    # The weight of each listed pair as a negative, [P] each.
    weights: tuple[Tensor | float, Tensor | float] = (1.0, 1.0)


@dataclass(frozen=True)
class AllPairs:
    """All other nodes of both views, summed exactly, one tile at a time."""

    own_view: ClassVar[bool] = True  # whether nodes of the anchor's own view are among them

    workspace: Workspace = field(default_factory=Workspace)  # reused from step to step
    ranks: Ranks = ALONE  # processes that have the same vectors and share the work
    tile: int | None = None  # rows of a tile; by default a size that suits the device

    def sums(self, a: Tensor, b: Tensor, temperature: float, pairs: Pattern) -> Sums:
        """Return the exact sums."""
        nodes = a.size(0)
        size = min(self.tile or (1024 if a.device.type == "cpu" else 4096), max(nodes, 1))
        sides = BOTH if self.own_view else ACROSS
        tiling = Tiling.of(nodes, size, self.workspace, pairs, sides)
        return Sums(log_sums(a, b, tiling, self.ranks))


@dataclass(frozen=True)
class CrossView(AllPairs):
    """All other nodes of the other view, summed exactly, one tile at a time."""

    own_view: ClassVar[bool] = False


@dataclass(frozen=True)
class Sampled:
    """All other nodes of both views, estimated without bias from a sample."""

    own_view: ClassVar[bool] = True

    columns: SampledColumns

    def sums(self, a: Tensor, b: Tensor, temperature: float, pairs: Pattern) -> Sums:
        """Return the estimated sums."""
        return Sums(sampled_log_sums(a, b, self.columns, pairs))


@dataclass(frozen=True)
class Weighted:
    """All other nodes of both views, each with its own weight, summed one tile at a time.

    The weights of an anchor are scaled to mean 1.
    """

    own_view: ClassVar[bool] = True

    hardness: Hardness  # the source of the weights
    tile: int = 1024  # rows of a tile

    def sums(self, a: Tensor, b: Tensor, temperature: float, pairs: Pattern) -> Sums:
        """Return the weighted sums, and the weights of the listed pairs."""
        logs, weights = weighted_sums(a, b, temperature, self.hardness, pairs, self.tile)
        return Sums(logs, weights)


Negatives: TypeAlias = AllPairs | Sampled | Weighted
