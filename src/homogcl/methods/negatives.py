"""Negatives of GRACE and GCA: all other nodes, or a sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import PositiveInt
from torch import Tensor

from homogcl.core.config import Config
from homogcl.core.distributed import Ranks
from homogcl.core.errors import UserError
from homogcl.losses.contrast.negatives import AllPairs, Negatives, Sampled
from homogcl.losses.contrast.sampled import stratified_columns
from homogcl.losses.contrast.tiles import Workspace
from homogcl.views.augment import TwoViews


class NegativesConfig(Config):
    """Settings of the negatives."""

    negatives: Literal["exact", "sampled"] = "exact"
    num_negatives: PositiveInt = 1024  # M, the size of the sample


@dataclass(frozen=True)
class ContrastViews(TwoViews):
    """Two views of one graph, and the draw of the sampled negatives.

    Attributes:
        draw: One uniform random number per node, [N]; None if negatives are exact.
        strata: Cluster of each node, by which negatives are drawn, int64 [N]; None for one.
    """

    draw: Tensor | None = None
    strata: Tensor | None = None


def check_negatives(config: NegativesConfig, nodes: int) -> None:
    """Refuse to sample more nodes than there are."""
    count = config.num_negatives
    if config.negatives == "sampled" and count > nodes:
        raise UserError(f"num_negatives={count} is more than the {nodes} nodes of a step")


def with_draw(views: TwoViews, config: NegativesConfig, rng: torch.Generator) -> ContrastViews:
    """Return the views with a draw of negatives, if `config` samples them."""
    if config.negatives == "exact":
        return ContrastViews(views.first, views.second)
    device = views.first.edge_index.device
    draw = torch.rand(int(views.first.num_nodes or 0), generator=rng, device=rng.device)
    return ContrastViews(views.first, views.second, draw.to(device))


def negatives_of(
    views: ContrastViews, config: NegativesConfig, workspace: Workspace, ranks: Ranks
) -> Negatives:
    """Return all pairs as negatives, or the sample that was drawn."""
    if views.draw is None:
        return AllPairs(workspace, ranks)
    return Sampled(stratified_columns(views.draw, config.num_negatives, views.strata))
