"""A graph whose hidden edges are to be predicted from what is left."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.nn.sparse import Pattern
from homogcl.views.augment import clean_view, keep

Unit = Literal["edge", "direction"]


def mask_edges(
    graph: Data, probability: float, unit: Unit, rng: torch.Generator
) -> tuple[Data, Tensor]:
    """Return a view that lacks edges, and the positions of the hidden ones, int64 [M].

    Both directions of an `edge` are hidden together. Where each `direction` is drawn for itself, an
    edge is in the view, in both directions, as long as one of them is not hidden.
    """
    edge_index = graph.edge_index
    back = Pattern.of_graph(graph).to_transposed
    number = torch.arange(back.numel(), device=back.device)
    survives = keep(back.numel(), probability, rng).to(back.device)
    if unit == "edge":
        survives = visible = survives[torch.minimum(number, back)]
    else:
        visible = survives | survives[back]
    view = clean_view(graph)
    view.edge_index, view.edge_id = edge_index[:, visible], number[visible]
    if graph.edge_weight is not None:
        view.edge_weight = graph.edge_weight[visible]
    return view, survives.logical_not().nonzero().squeeze(1)


def at_most(positions: Tensor, most: int, rng: torch.Generator) -> Tensor:
    """Return all positions, int64 [M], or so many of them, drawn at random."""
    if positions.numel() <= most:
        return positions
    order = torch.randperm(positions.numel(), generator=rng, device=rng.device)
    return positions[order[:most].to(positions.device)]
