"""The contrastive loss of GRACE (Eq. 1-2) and of HomoGCL (Eq. 7-10), exact at any size."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.contrast.negatives import AllPairs, Negatives
from homogcl.losses.contrast.tiles import safe_square
from homogcl.nn.sparse import Pattern, own_products, pair_products
from homogcl.nn.unit_rows import of_length


def info_nce(
    u: Tensor,
    v: Tensor,
    temperature: float,
    positives: tuple[Positives, Positives] | None = None,
    negatives: Negatives | None = None,
) -> Tensor:
    r"""Return the loss to minimize: -L of Eq. (1) without positives, -L_cont of Eq. (10) with.

    For anchor u_i, with θ the cosine similarity, N_u and N_v its neighbors in either view and
    S the weights of the pairs,

        pos = e^{θ(u_i,v_i)/τ} + Σ_{j∈N_u(i)} S_ij e^{θ(u_i,u_j)/τ}
        neg = Σ_{j∉{i}∪N_v(i)} e^{θ(u_i,v_j)/τ} + Σ_{j∉{i}∪N_u(i)} e^{θ(u_i,u_j)/τ}

    and the loss is the mean of -log(pos / (pos + neg)) over the anchors of both views. Under a mean
    (`Combine.MEAN`), the sums are those of Eq. (1) and log pos is the mean of θ(u_i,v_j)/τ over a
    node's positives, itself weighing 1 and a neighbor S_ij. Nothing of size N x N or P x d is held,
    and nothing is subtracted, so it is safe at any temperature.

    Args:
        u: Vectors of the first view, [N, d].
        v: Vectors of the second view, [N, d].
        temperature: τ, positive.
        positives: The neighbor pairs as they are in the first and in the second view, over the
            same `edge_index`; none by default.
        negatives: Which pairs `neg` sums over, and how: `AllPairs`, as above, by default;
            `Sampled`, estimated without bias; `CrossView`, without its second sum; `Weighted`,
            with a weight for each pair. Positives and neighbors are always exact.

    Returns:
        The loss, a scalar.

    >>> u = torch.eye(3)
    >>> round(float(info_nce(u, u, temperature=0.5)), 4)
    0.4321
    """
    # Both sides carry half of 1/τ, so that every product below is a logit θ/τ.
    a, b = of_length(u, temperature**-0.5), of_length(v, temperature**-0.5)
    none = Positives.none().to(u.device)
    in_u, in_v = positives or (none, none)
    pairs = Pattern.of(in_u.edge_index.to(u.device), u.size(0))
    told_from = negatives or AllPairs()
    sums = told_from.sums(a, b, temperature, pairs)
    own = (a * b).sum(1)
    across = pair_products(a, b, pairs)
    # The pairs come in both directions: those of (b, a) are those of (a, b) read backwards.
    back = across.index_select(0, pairs.to_transposed)
    from_u = _Anchors(own, sums.logs[0], own_products(a, pairs), across, sums.weights[0])
    from_v = _Anchors(own, sums.logs[1], own_products(b, pairs), back, sums.weights[1])
    ratio_u = from_u.log_ratio(in_u, in_v, pairs.row, own_view=told_from.own_view)
    ratio_v = from_v.log_ratio(in_v, in_u, pairs.row, own_view=told_from.own_view)
    return -0.5 * (ratio_u + ratio_v).mean()


@dataclass(frozen=True)
class _Anchors:
    """The logits of one view's anchors.

    Attributes:
        own: Of (u_i, v_i), [N].
        rest: Logarithm of the sum over all negatives that are not listed, [N].
        intra: Of the listed pairs inside the anchor's view, [P].
        inter: Of the listed pairs into the other view, [P].
        weight: Of the listed pairs as negatives, [P], or one for all.
    """

    own: Tensor
    rest: Tensor
    intra: Tensor
    inter: Tensor
    weight: Tensor | float

    def log_ratio(
        self, here: Positives, there: Positives, row: Tensor, *, own_view: bool
    ) -> Tensor:
        """Return log(pos / (pos + neg)) for each anchor, [N].

        Args:
            here: The listed pairs in the anchor's view.
            there: The listed pairs in the other view.
            row: The anchor of each listed pair, [P].
            own_view: Whether ordinary pairs inside the anchor's view are negatives.
        """
        own, rest = self.own, self.rest
        positive = here.numerator(row, own.numel())
        # A positive stands in the denominator as in the numerator, an ordinary pair as a negative.
        inside = torch.zeros_like(positive) if here.combine in MEANS else positive
        if own_view:
            inside = inside + self.weight * here.ordinary()
        outside = self.weight * there.ordinary()
        own_pairs = 2 if here.combine is Combine.RELEASED else 1
        one = torch.ones_like(own)
        if _in_range(own, rest, self.intra, self.inter):
            alone, near, far = own.exp(), self.intra.exp(), self.inter.exp()
            total = own_pairs * alone + rest.exp()
            everything = total.index_add(0, row, inside * near + outside * far).log()
            if here.combine in MEANS:
                return here.mean(own, self.inter, row) - everything
            return alone.index_add(0, row, positive * near).log() - everything
        per_node = [(own_pairs * one, own), (one, rest)]
        everything = _log_sum(per_node, [(inside, self.intra), (outside, self.inter)], row)
        if here.combine in MEANS:
            return here.mean(own, self.inter, row) - everything
        return _log_sum([(one, own)], [(positive, self.intra)], row) - everything


def _in_range(own: Tensor, *others: Tensor) -> bool:
    """Return whether no exponential leaves the normal range, and that of its own pair is not 0."""
    limit = safe_square(own.dtype)
    within = all(float(x.detach().max()) <= limit for x in (own, *others) if x.numel())
    return within and (own.numel() == 0 or float(own.detach().min()) >= -limit)


def _log_sum(
    per_node: list[tuple[Tensor, Tensor]], per_pair: list[tuple[Tensor, Tensor]], row: Tensor
) -> Tensor:
    """Return log Σ weight·e^logit over a node's own terms and its pairs' terms, [N]."""
    shift = torch.stack([logit.detach() for _, logit in per_node]).amax(0)
    for weight, logit in per_pair:
        counted = torch.where(weight > 0, logit.detach(), -torch.inf)
        shift = shift.scatter_reduce(0, row, counted, "amax")
    total = torch.stack([weight * (logit - shift).exp() for weight, logit in per_node]).sum(0)
    for weight, logit in per_pair:
        # A pair of weight 0 may lie far above the shift: 0 times infinity would be no number.
        gap = logit - shift[row]
        gap = gap.where(weight > 0, gap.clamp(max=60.0))
        total = total.index_add(0, row, weight * gap.exp())
    return total.log() + shift
