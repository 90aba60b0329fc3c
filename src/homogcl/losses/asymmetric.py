"""GraphACL's loss: a node predicts its neighbors, against the nodes that it resembles itself."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softplus
from torch.utils.checkpoint import checkpoint

from homogcl.core.distributed import ALONE, Ranks
from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.contrast.sampled import SampledColumns
from homogcl.losses.contrast.tiles import INSIDE, Tiling, Workspace, log_sums
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern


def asymmetric(q: Tensor, u: Tensor, log_z: Tensor, positives: Positives) -> dict[str, Tensor]:
    """Return the losses to minimize: the mean over the nodes of that of their positives.

    The loss of the pair (i, j) is log(1 + Z_i / e^{q_i·u_j}). A node's positives are itself and
    its neighbors, by a mean. Under `Combine.TERM` the term `contrast` has a node's own pair alone,
    and `neighbors` is the mean over the pairs of their weighted loss.

    Args:
        q: Predictions, scaled so that products are logits, [N, d].
        u: Targets, scaled alike, [N, d].
        log_z: log Z, [N].
        positives: The neighbors; a term of their own or a mean.
    """
    pairs = Pattern.of(positives.edge_index, q.size(0))
    own = softplus(log_z - (q * u).sum(1))
    near = softplus(log_z[pairs.row] - pair_products(q, u, pairs))
    if positives.combine is not Combine.TERM:
        return {"contrast": positives.mean(own, near, pairs.row).mean()}
    weighted = positives.weight * near
    return {"contrast": own.mean(), "neighbors": weighted.sum() / max(weighted.numel(), 1)}


def all_log_sums(v: Tensor, workspace: Workspace, ranks: Ranks = ALONE) -> Tensor:
    """Return log Σ_k e^{v_i·v_k} over all nodes, i among them, [N], one tile at a time."""
    nodes = v.size(0)
    nothing = Pattern.of(torch.empty(2, 0, dtype=torch.long, device=v.device), nodes)
    size = min(1024 if v.device.type == "cpu" else 4096, max(nodes, 1))
    others, _ = log_sums(v, v, Tiling.of(nodes, size, workspace, nothing, INSIDE), ranks)
    return torch.logaddexp(others, v.square().sum(1))


def estimated_log_sums(v: Tensor, columns: SampledColumns, *, rows: int = 4096) -> Tensor:
    """Return an estimate of `all_log_sums`; the sums, not their logarithms, are unbiased.

    Backward computes each block of rows again.
    """
    own, share = v.square().sum(1), columns.weight.to(v.dtype).log()
    others = v[columns.node]

    def block(v: Tensor, own: Tensor, others: Tensor, start: int) -> Tensor:
        logits = torch.addmm(share, v, others.t())
        here = (columns.node >= start) & (columns.node < start + v.size(0))
        place = here.nonzero().squeeze(1)
        # Own pairs count exactly; minus infinity would have no gradient in an empty sum.
        logits[columns.node[place] - start, place] = torch.finfo(v.dtype).min
        return torch.logaddexp(logits.logsumexp(1), own)

    blocks = [
        checkpoint(
            block,
            v[start : start + rows],
            own[start : start + rows],
            others,
            start,
            use_reentrant=False,
        )
        for start in range(0, v.size(0), rows)
    ]
    return torch.cat(blocks)
