"""The contrastive loss of GRACE (Eq. 1-2) and of HomoGCL (Eq. 7-10), exact at any size."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.homophily.positives import MEANS, Combine, Positives
from homogcl.losses.contrast.negatives import AllPairs, Negatives
from homogcl.losses.contrast.tiles import safe_square
from homogcl.nn.pair_products import own_products, pair_products, weighted_sums
from homogcl.nn.unit_rows import of_length


def info_nce(
    u: Tensor,
    v: Tensor,
    temperature: float,
    positives: tuple[Positives, Positives] | None = None,
    negatives: Negatives | None = None,
) -> Tensor:
    r"""Return the loss to minimize: -L of Eq. (1) without positives, -L_cont of Eq. (10) with.

    For anchor u_i, with θ the cosine similarity, N_u and N_v its neighbors in the two views and
    S the weights of the pairs,

        pos = e^{θ(u_i,v_i)/τ} + Σ_{j∈N_u(i)} S_ij e^{θ(u_i,u_j)/τ}
        neg = Σ_{j∉{i}∪N_v(i)} e^{θ(u_i,v_j)/τ} + Σ_{j∉{i}∪N_u(i)} e^{θ(u_i,u_j)/τ}

    and the loss is the mean of -log(pos / (pos + neg)) over the anchors of both views. Under a mean
    (`Combine.MEAN`), the sums are those of Eq. (1), in which neighbors are pairs like all others,
    and log pos is the mean of θ(u_i,v_j)/τ over a node's positives, with weight 1 for itself and
    S_ij for a neighbor. Memory never holds N x N or P x d numbers. Nothing is subtracted, so the
    loss is safe at any temperature.

    Args:
        u: Vectors of the first view, [N, d].
        v: Vectors of the second view, [N, d].
        temperature: τ, positive.
        positives: The neighbor pairs in the first and in the second view, with the same
            `edge_index`; none by default. Pairs that are unsorted, one-way, repeated, or of a node
            with itself are refused.
        negatives: Which pairs `neg` sums over: `AllPairs`, as above, by default; `Sampled`, an
            unbiased estimate; `CrossView`, without the second sum; `Weighted`, with a weight for
            each pair. Positives are always exact, and so are neighbors outside of a mean.

    Returns:
        The loss, a scalar.

    >>> u = torch.eye(3)
    >>> round(float(info_nce(u, u, temperature=0.5)), 4)
    0.4321
    """
    # Scale both views by 1/√τ, so that every product below is a logit θ/τ.
    a, b = of_length(u, temperature**-0.5), of_length(v, temperature**-0.5)
    none = Positives.none().to(u.device)
    in_u, in_v = positives or (none, none)
    if in_u.edge_index is not in_v.edge_index and not torch.equal(in_u.edge_index, in_v.edge_index):
        raise UserError("the positives of the two views list different pairs")
    pairs = in_u.to(u.device).pattern(u.size(0))
    kind = negatives or AllPairs()
    averaged = in_u.combine in MEANS
    sums = kind.sums(a, b, temperature, none.pattern(u.size(0)) if averaged else pairs)
    own = (a * b).sum(1)
    # The pairs come in both directions, so the products of (b, a) are those of (a, b), reordered.
    if averaged:
        (own_u, by_u), (own_v, by_v) = (each.shares(pairs.row, len(own)) for each in (in_u, in_v))
        shares = by_u + by_v.index_select(0, pairs.to_transposed)
        means = (own_u + own_v) * own + weighted_sums(a, b, pairs, shares)
        logs = torch.logaddexp(own, sums.logs[0]) + torch.logaddexp(own, sums.logs[1])
        return 0.5 * (logs - means).mean()
    across = pair_products(a, b, pairs)
    back = across.index_select(0, pairs.to_transposed)
    from_u = _Anchors(own, sums.logs[0], own_products(a, pairs), across, sums.weights[0])
    from_v = _Anchors(own, sums.logs[1], own_products(b, pairs), back, sums.weights[1])
    ratio_u = from_u.log_ratio(in_u, in_v, pairs.row, own_view=kind.own_view)
    ratio_v = from_v.log_ratio(in_v, in_u, pairs.row, own_view=kind.own_view)
    return -0.5 * (ratio_u + ratio_v).mean()


@dataclass(frozen=True)
class _Anchors:
    """The logits of one view's anchors."""

    own: Tensor  # logits of (u_i, v_i), [N]
    rest: Tensor  # logarithm of the sum over all negatives that are not listed, [N]
    intra: Tensor  # logits of the listed pairs inside the anchor's view, [P]
    inter: Tensor  # logits of the listed pairs into the other view, [P]
    weight: Tensor | float  # weight of the listed pairs as negatives, [P], or one number for all

    def log_ratio(
        self, here: Positives, there: Positives, row: Tensor, *, own_view: bool
    ) -> Tensor:
        """Return log(pos / (pos + neg)) for each anchor, [N].

        The listed pairs, whose anchors are `row` [P], stand `here` as in the anchor's view and
        `there` as in the other one; with `own_view`, pairs that are ordinary here are negatives.
        """
        own, rest = self.own, self.rest
        positive = here.numerator(row, own.numel())
        inside = here.denominator(row, own.numel(), self.weight if own_view else 0.0)
        outside = self.weight * there.ordinary()
        own_pairs = 2 if here.combine is Combine.RELEASED else 1
        one = torch.ones_like(own)
        if _in_range(own, rest, self.intra, self.inter):
            alone, near, far = own.exp(), self.intra.exp(), self.inter.exp()
            total = own_pairs * alone + rest.exp()
            everything = total.index_add(0, row, inside * near + outside * far).log()
            return alone.index_add(0, row, positive * near).log() - everything
        per_node = [(own_pairs * one, own), (one, rest)]
        everything = _log_sum(per_node, [(inside, self.intra), (outside, self.inter)], row)
        return _log_sum([(one, own)], [(positive, self.intra)], row) - everything


def _in_range(own: Tensor, *rest: Tensor) -> bool:
    """Return whether all exponentials are in the normal range, and those of own pairs not 0."""
    limit = safe_square(own.dtype)
    within = all(float(x.detach().max()) <= limit for x in (own, *rest) if x.numel())
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
        # A pair with weight 0 may lie far above the shift: 0 times infinity would be NaN.
        gap = logit - shift[row]
        gap = gap.where(weight > 0, gap.clamp(max=60.0))
        total = total.index_add(0, row, weight * gap.exp())
    return total.log() + shift
