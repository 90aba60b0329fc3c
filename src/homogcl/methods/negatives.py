"""All nodes as negatives, or a sample that stands for all: what GRACE and GCA share."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import torch
from pydantic import PositiveInt

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.losses.contrast.sampled import Columns, stratified_columns
from homogcl.views.augment import TwoViews


class NegativesConfig(Config):
    """Which nodes the sums over negatives run over."""

    negatives: Literal["exact", "sampled"] = "exact"
    num_negatives: PositiveInt = 1024  # M, the nodes that stand for all when sampled


def check_negatives(config: NegativesConfig, nodes: int) -> None:
    """Refuse to sample more nodes than there are."""
    count = config.num_negatives
    if config.negatives == "sampled" and count > nodes:
        raise UserError(f"num_negatives={count} is more than the {nodes} nodes of a step")


def with_draw(views: TwoViews, config: NegativesConfig, rng: torch.Generator) -> TwoViews:
    """Return the views with the random numbers that sampled negatives are drawn by."""
    if config.negatives == "exact":
        return views
    device = views.first.edge_index.device
    draw = torch.rand(int(views.first.num_nodes or 0), generator=rng, device=rng.device)
    return replace(views, draw=draw.to(device))


def columns(views: TwoViews, config: NegativesConfig) -> Columns | None:
    """Return the nodes that stand for all, by cluster where the clusters are known."""
    if views.draw is None:
        return None
    return stratified_columns(views.draw, config.num_negatives, views.strata)
