"""Accuracy for choosing settings by: many nodes and draws, and no test label."""

from __future__ import annotations

from statistics import fmean

import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.arrays import Split, as_tensor
from homogcl.evaluate.probe import linear_probe
from homogcl.evaluate.tasks import Task, TaskInputs

METRIC = "development_accuracy"
DRAWS = 5


def development_accuracy(inputs: TaskInputs) -> dict[str, float]:
    """Return the mean accuracy of probes on nodes that are not test nodes.

    Each draw takes as many training nodes of each class as the split has, from all labeled nodes
    outside the test nodes. Half of the others choose the penalty, and the other half is scored.
    A public split leaves most nodes without a part, so that far more nodes speak than its
    validation nodes.
    """
    if inputs.labels is None or inputs.masks is None:
        raise UserError("the task development needs labels and a split")
    y = as_tensor(inputs.labels).cpu()
    train, _, test = (as_tensor(mask).cpu().bool() for mask in inputs.masks)
    values = [
        linear_probe(inputs.embedding, y, development_split(y, train, test, generator))
        for draw in range(DRAWS)
        for generator in [stream(inputs.seed, f"development/{draw}")]
    ]
    return {METRIC: fmean(each["test_accuracy"] for each in values)}


def development_split(y: Tensor, train: Tensor, test: Tensor, rng: torch.Generator) -> Split:
    """Return masks [N] of one draw: to learn from, to choose the penalty by, to score."""
    pool = ((y >= 0) & ~test).nonzero().squeeze(1)
    order = pool[torch.randperm(len(pool), generator=rng)]
    counts = y[train].bincount(minlength=int(y.max()) + 1)
    learn = torch.cat([order[y[order] == c][: int(n)] for c, n in enumerate(counts)])
    others = order[~torch.isin(order, learn)]
    masks = torch.zeros(3, len(y), dtype=torch.bool)
    for mask, nodes in zip(masks, (learn, others[::2], others[1::2]), strict=True):
        mask[nodes] = True
    return masks[0], masks[1], masks[2]


DEVELOPMENT = Task("development", METRIC, development_accuracy, needs_labels=True)
