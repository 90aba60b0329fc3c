"""How much of a result is the probe's own: one embedding, scored again and again."""

from __future__ import annotations

from statistics import pstdev

import torch

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.adam_probe import AdamProbeConfig, adam_probe
from homogcl.evaluate.arrays import as_tensor, dense_embedding
from homogcl.evaluate.probe import linear_probe
from homogcl.evaluate.tasks import Task, TaskInputs

REPEATS = 5


def probe_spreads(inputs: TaskInputs) -> dict[str, float]:
    """Return the standard deviation of test accuracy over repeated probes of one embedding.

    Adam's probe starts from other weights each time. The present one draws nothing, so that the
    nodes are put in another order, and the embedding on another scale.

    Returns:
        `adam_spread` and `probe_spread`, fractions.
    """
    if inputs.labels is None or inputs.masks is None:
        raise UserError("the task probe-spread needs labels and a split")
    z, y = dense_embedding(inputs.embedding), as_tensor(inputs.labels)
    train, val, test = (as_tensor(mask) for mask in inputs.masks)
    by_adam, by_optimum = [], []
    for repeat in range(REPEATS):
        rng = stream(inputs.seed, f"probe/{repeat}")
        by_adam.append(adam_probe(z, y, (train, val, test), AdamProbeConfig(), rng))
        order, scale = torch.randperm(len(y), generator=rng), 10.0 ** (repeat - 2)
        split = (train[order], val[order], test[order])
        by_optimum.append(linear_probe(scale * z[order].double(), y[order], split))
    return {
        "adam_spread": pstdev(each["adam_test_accuracy"] for each in by_adam),
        "probe_spread": pstdev(each["test_accuracy"] for each in by_optimum),
    }


PROBE_SPREAD = Task("probe-spread", "probe_spread", probe_spreads, needs_labels=True)
