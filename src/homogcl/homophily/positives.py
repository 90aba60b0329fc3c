"""Positives: which pairs of nodes count as positive, how much, and how they enter a loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.nn.sparse import Pattern


class Combine(StrEnum):
    """How a node's neighbors enter the loss of a base method."""

    SUM = "sum"  # added to the node's own pair, in one logarithm (Eq. 7-10)
    TERM = "term"  # in a term of their own (Section 4.4)
    MEAN = "mean"  # the base's own loss, averaged; all neighbors together weigh as one
    WEIGHTED_MEAN = "weighted mean"  # the same, each neighbor by its own weight
    RELEASED = "released"  # as SUM, the way the published code computes it


class CannotCombine(UserError):
    """A method cannot combine neighbors in the way that it was asked to."""


class Taken(StrEnum):
    """Which of a node's neighbors a mean takes, by the edges that the node's view has."""

    ALL = "all"
    SEEN = "seen"  # those whose edge the view has
    UNSEEN = "unseen"  # those whose edge the view has lost, both ways


MEANS = frozenset({Combine.MEAN, Combine.WEIGHTED_MEAN})
SUMS = frozenset({Combine.SUM, Combine.RELEASED})


@dataclass(frozen=True)
class Positives:
    """Weighted neighbor pairs that join a node's own pair as positives.

    Attributes:
        edge_index: Pairs (i, j), int64 [2, P], sorted, each pair listed once in both directions;
            the losses refuse other pairs.
        weight: How positive each pair is, in [0, 1], [P]; may carry a gradient.
        present: Which pairs are neighbors in the current view, bool [P]; the others are ordinary
            pairs there. `None` means all of them.
        combine: How they enter the loss.
        taken: Which of them a mean takes; other ways take those that the view has.
        pattern_hint: The pattern of the pairs, where the caller has it.
    """

    edge_index: Tensor
    weight: Tensor
    present: Tensor | None = None
    combine: Combine = Combine.SUM
    taken: Taken = Taken.ALL
    pattern_hint: Pattern | None = None

    @staticmethod
    def none() -> Positives:
        """Return no neighbor pairs: the only positive of a node is itself."""
        return Positives(torch.empty(2, 0, dtype=torch.long), torch.empty(0))

    @property
    def is_empty(self) -> bool:
        """Whether there is no pair at all."""
        return self.edge_index.size(1) == 0

    def combined(self, *by: Combine) -> Positives:
        """Return the pairs if they are combined in one of these ways, else none."""
        return self if self.combine in by else Positives.none()

    def to(self, device: torch.device) -> Positives:
        """Return the same on another device."""
        return replace(self, edge_index=self.edge_index.to(device), weight=self.weight.to(device))

    def pattern(self, nodes: int) -> Pattern:
        """Return the pairs for products of `nodes` nodes; refuse those that are not as above."""
        for name, values in (("weights", self.weight), ("presences", self.present)):
            if values is not None and values.shape != (self.edge_index.size(1),):
                pairs = self.edge_index.size(1)
                raise UserError(f"{pairs} positive pairs need {pairs} {name}, not {values.numel()}")
        pattern = self.pattern_hint
        if pattern is None or not pattern.is_of(self.edge_index, nodes):
            pattern = Pattern.of(self.edge_index, nodes)
        return Pattern.both_ways(pattern, nodes)

    def within(self, view: Data) -> Positives:
        """Return the same pairs, present where their edge survived in `view`.

        A mean takes all neighbors, also those whose edges the view has lost, unless `taken` says
        otherwise. `view.edge_id` must be the positions of the view's edges among the pairs, as
        `homogcl.views.augment` sets it.
        """
        if self.is_empty or (self.combine in MEANS and self.taken is Taken.ALL):
            return self.to(view.edge_index.device)
        if "edge_id" not in view:
            raise UserError("the view has no edge_id: the positions of its edges among the pairs")
        if not torch.equal(self.edge_index.index_select(1, view.edge_id), view.edge_index):
            raise UserError("edge_id of the view does not lead to its edges among the pairs")
        present = torch.zeros(self.edge_index.size(1), dtype=torch.bool, device=self.weight.device)
        present.index_fill_(0, view.edge_id, True)
        if self.combine in MEANS and self.taken is Taken.UNSEEN:
            back = self.pattern(int(view.num_nodes or 0)).to_transposed
            present = ~(present | present[back])
        return replace(self, present=present)

    def on(self, subgraph: Data) -> Positives:
        """Return the pairs that are edges of an induced `subgraph`, in its node numbers."""
        if self.is_empty:
            return self
        weight = self.weight[subgraph.edge_id]
        return replace(self, edge_index=subgraph.edge_index, weight=weight, present=None)

    def numerator(self, row: Tensor, nodes: int) -> Tensor:
        """Return the weight of each pair as a positive, [P]; 0 if the view lacks the edge.

        Args:
            row: The first node of each pair, [P].
            nodes: Number of nodes.
        """
        if self.taken is not Taken.ALL and self.present is None:
            raise CannotCombine(
                f"{self.taken} neighbors need a base that compares views, such as grace or bgrl"
            )
        weight = self.weight if self.present is None else self.weight * self.present
        if self.combine not in {Combine.MEAN, Combine.RELEASED}:
            return weight
        # All neighbors of a node together weigh as one.
        present = torch.ones_like(weight) if self.present is None else self.present.to(weight.dtype)
        degree = weight.new_zeros(nodes).index_add_(0, row, present)
        return weight / (degree + 0.01)[row]

    def mean(self, own: Tensor, near: Tensor, row: Tensor) -> Tensor:
        """Return the mean of a score over each node's positives, [N]; its own pair weighs 1.

        Args:
            own: Scores of the nodes' own pairs, [N].
            near: Scores of the pairs, [P].
            row: The first node of each pair, [P].
        """
        own_share, shares = self.shares(row, own.numel())
        return (own_share * own).index_add(0, row, shares * near)

    def shares(self, row: Tensor, nodes: int) -> tuple[Tensor, Tensor]:
        """Return the shares of each node's own pair [N] and of its pairs [P] in its mean.

        Args:
            row: The first node of each pair, [P].
            nodes: How many nodes there are.
        """
        weight = self.numerator(row, nodes)
        own = weight.new_ones(nodes).index_add(0, row, weight).reciprocal()
        return own, weight * own.index_select(0, row)

    def denominator(self, row: Tensor, nodes: int, ordinary: Tensor | float) -> Tensor:
        """Return each pair's weight in the denominator of its own view, [P] (Eq. 8-9).

        Args:
            row: The first node of each pair, [P].
            nodes: How many nodes there are.
            ordinary: The weight of pairs that are ordinary in the view.
        """
        weight = ordinary * torch.ones_like(self.weight)
        if self.combine in MEANS:
            return weight
        positive = self.numerator(row, nodes)
        return positive if self.present is None else torch.where(self.present, positive, weight)

    def ordinary(self) -> Tensor:
        """Return 1 for pairs that are ordinary in the view, and so negatives there, else 0, [P].

        Neighbors whose edge is in the view are not ordinary (Eq. 8-9). Under a mean all pairs are.
        """
        if self.combine in MEANS:
            return torch.ones_like(self.weight)
        if self.present is None:
            return torch.zeros_like(self.weight)
        return (~self.present).to(self.weight.dtype)
