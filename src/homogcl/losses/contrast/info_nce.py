"""The contrastive loss of GRACE (Eq. 1-2) and of HomoGCL (Eq. 7-10), exact at any size."""

from __future__ import annotations

import torch
from torch import Tensor

from homogcl.core.distributed import ALONE, Ranks
from homogcl.homophily.positives import Positives
from homogcl.losses.contrast.sampled import Columns, sampled_log_sums
from homogcl.losses.contrast.tiles import Tiling, Workspace, log_sums, safe_square
from homogcl.nn.sparse import Pattern, own_products, pair_products
from homogcl.nn.unit_rows import of_length


def info_nce(
    u: Tensor,
    v: Tensor,
    temperature: float,
    positives: tuple[Positives, Positives] | None = None,
    *,
    columns: Columns | None = None,
    tile: int | None = None,
    workspace: Workspace | None = None,
    ranks: Ranks = ALONE,
) -> Tensor:
    r"""Return the loss to minimize: -L of Eq. (1) without positives, -L_cont of Eq. (10) with.

    For anchor u_i, with θ the cosine similarity, N_u and N_v its neighbors in either view and
    S the weights of the pairs,

        pos = e^{θ(u_i,v_i)/τ} + Σ_{j∈N_u(i)} S_ij e^{θ(u_i,u_j)/τ}
        neg = Σ_{j∉{i}∪N_v(i)} e^{θ(u_i,v_j)/τ} + Σ_{j∉{i}∪N_u(i)} e^{θ(u_i,u_j)/τ}

    and the loss is the mean of -log(pos / (pos + neg)) over the anchors of both views. Where the
    positives have a logarithm each, the sums are those of Eq. (1) and log pos is the mean of
    θ(u_i,v_j)/τ over a node's positives, itself weighing 1 and a neighbor S_ij. Nothing of size
    N x N or P x d is held, and nothing is subtracted, so it is safe at any temperature.

    Args:
        u: Vectors of the first view, [N, d].
        v: Vectors of the second view, [N, d].
        temperature: τ, positive.
        positives: The neighbor pairs as they are in the first and in the second view, over the
            same `edge_index`; none by default.
        columns: Nodes that stand for all in the sums over negatives, which are then estimated
            without bias; by default the sums are exact. Positives and neighbors always are.
        tile: Rows of a tile; chosen for the device by default.
        workspace: Memory to reuse from step to step, and how much of it there may be.
        ranks: Processes that have the same vectors and split the exact sums among them.

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
    n = u.size(0)
    pairs = Pattern.of(in_u.edge_index, n)
    rest_a, rest_b = _rest(a, b, pairs, columns, tile, workspace, ranks)
    own = (a * b).sum(1)
    across = pair_products(a, b, pairs)
    # The pairs come in both directions: those of (b, a) are those of (a, b) read backwards.
    from_u = _log_ratio(own, rest_a, own_products(a, pairs), across, (in_u, in_v), pairs.row)
    back = across.index_select(0, pairs.to_transposed)
    from_v = _log_ratio(own, rest_b, own_products(b, pairs), back, (in_v, in_u), pairs.row)
    return -0.5 * (from_u + from_v).mean()


def _rest(
    a: Tensor,
    b: Tensor,
    pairs: Pattern,
    columns: Columns | None,
    tile: int | None,
    workspace: Workspace | None,
    ranks: Ranks,
) -> tuple[Tensor, Tensor]:
    """Return the logarithm of each row's sum over all pairs but its own and the listed ones."""
    if columns is not None:
        return sampled_log_sums(a, b, columns, pairs)
    n = a.size(0)
    size = min(tile or (1024 if a.device.type == "cpu" else 4096), max(n, 1))
    return log_sums(a, b, Tiling.of(n, size, workspace or Workspace(), pairs), ranks)


def _log_ratio(
    own: Tensor,
    rest: Tensor,
    intra: Tensor,
    inter: Tensor,
    positives: tuple[Positives, Positives],
    row: Tensor,
) -> Tensor:
    """Return log(pos / (pos + neg)) for each anchor of one view, [N].

    Args:
        own: Logits of (u_i, v_i), [N].
        rest: Logarithm of the sum over all pairs that are neither own nor listed, [N].
        intra: Logits of the listed pairs inside the anchor's view, [P].
        inter: Logits of the listed pairs into the other view, [P].
        positives: The listed pairs in the anchor's view and in the other one.
        row: The anchor of each listed pair, [P].
    """
    here, there = positives
    n = own.numel()
    positive, inside, outside = here.numerator(row, n), here.intra_view(row, n), there.inter_view()
    own_pairs = 2 if here.own_pair_twice else 1
    count = torch.ones_like(own)
    if _in_range(own, rest, intra, inter):
        alone, near, far = own.exp(), intra.exp(), inter.exp()
        total = (own_pairs * alone + rest.exp()).index_add(0, row, inside * near + outside * far)
        everything, together = total.log(), alone.index_add(0, row, positive * near).log()
    else:
        per_node = [(own_pairs * count, own), (count, rest)]
        everything = _log_sum(per_node, [(inside, intra), (outside, inter)], row)
        together = _log_sum([(count, own)], [(positive, intra)], row)
    if here.one_each:
        together = here.mean(own, inter, row)
    return together - everything


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
