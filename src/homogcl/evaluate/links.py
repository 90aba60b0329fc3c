"""Link prediction: whether embeddings tell edges they have not seen from pairs without one."""

from __future__ import annotations

import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch.nn.functional import normalize

from homogcl.core.held_out import Links
from homogcl.evaluate.arrays import Array, dense_embedding


def link_scores(z: Array, links: Links) -> dict[str, float]:
    """Return `link_auc` and `link_ap`: how the cosines of `z` [N, d] rank edges above others."""
    unit = normalize(dense_embedding(z)).cpu()
    pairs = torch.cat([links.edges, links.others], dim=1)
    cosines = (unit[pairs[0]] * unit[pairs[1]]).sum(dim=1).numpy()
    is_edge = torch.arange(pairs.size(1)).numpy() < links.edges.size(1)
    return {
        "link_auc": float(roc_auc_score(is_edge, cosines)),
        "link_ap": float(average_precision_score(is_edge, cosines)),
    }
