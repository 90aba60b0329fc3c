"""The linear probe as the paper words it: trained with Adam for a number of steps.

Its result depends on the scale of the embedding and on the first weights; that of `probe` does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import cross_entropy

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.evaluate.arrays import Array, Split, as_tensor, dense_embedding, split_rows


class AdamProbeConfig(Config):
    """An L2-regularized one-layer classifier, trained with Adam and chosen on validation."""

    steps: int = Field(default=1000, ge=1)
    learning_rate: float = Field(default=0.01, gt=0)
    weight_decays: tuple[float, ...] = Field(default=(1e-4, 1e-3, 1e-2), min_length=1)


class _Choice(NamedTuple):
    """One head at one step of its training, as chosen on validation."""

    weight: Tensor  # [d, C]
    bias: Tensor  # [C]
    step: int
    weight_decay: float
    val_accuracy: float


def adam_probe(
    z: Array,
    y: Array,
    split: Split,
    config: AdamProbeConfig,
    rng: torch.Generator,
) -> dict[str, float]:
    """Return the accuracy of a linear classifier on the embedding `z`, as fractions.

    Every weight decay has a head of its own; the heads train together, and one head at one step
    is chosen by its accuracy on validation, equal ones by the lower loss.

    Args:
        z: embedding [N, d].
        y: classes [N], counted from 0.
        split: masks [N] of the nodes that the heads learn from, that choose step and weight
            decay, and that the chosen head is scored on.
        config: steps, learning rate and weight decays.
        rng: draws the first weights.

    Returns:
        `adam_test_accuracy`, `adam_val_accuracy`, and the chosen `adam_step` and
        `adam_weight_decay`.
    """
    z = dense_embedding(z)
    y = as_tensor(y).to(z.device)
    learn, select, score = (rows.to(z.device) for rows in split_rows(split))
    choice = _choose((z[learn], y[learn]), (z[select], y[select]), config, rng)
    # Only this line reads labels of test nodes, and everything is chosen by now.
    test_accuracy = _accuracy(z[score] @ choice.weight + choice.bias, y[score])
    return {
        "adam_test_accuracy": float(test_accuracy),
        "adam_val_accuracy": choice.val_accuracy,
        "adam_step": float(choice.step),
        "adam_weight_decay": choice.weight_decay,
    }


def training(
    z: Tensor, y: Tensor, classes: int, config: AdamProbeConfig, rng: torch.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield weights [d, H, C] and biases [H, C] of the H heads after each step of Adam.

    Head h minimizes its mean cross-entropy on `z` [n, d] and `y` [n] plus half its weight decay
    times the squared norm of its weights; biases are free. The two tensors change in place
    between steps.
    """
    decays = torch.tensor(config.weight_decays, dtype=z.dtype, device=z.device)  # [H]
    bound = math.sqrt(6 / (z.size(1) + classes))
    first = torch.empty(z.size(1), 1, classes, dtype=z.dtype, device=rng.device)
    first.uniform_(-bound, bound, generator=rng)
    # Every head starts from the same weights, so that only the weight decay tells them apart.
    weight = first.to(z.device).repeat(1, len(decays), 1).requires_grad_()
    bias = torch.zeros(len(decays), classes, dtype=z.dtype, device=z.device, requires_grad=True)
    optimizer = torch.optim.Adam([weight, bias], lr=config.learning_rate)
    for _ in range(config.steps):
        losses = _cross_entropy(_logits(z, weight, bias), y)  # [H]
        penalties = weight.square().sum(dim=(0, 2)) * decays / 2
        # Heads share no parameter: the gradient of the sum holds the gradient of each.
        weight.grad, bias.grad = torch.autograd.grad((losses + penalties).sum(), [weight, bias])
        optimizer.step()
        yield weight.detach(), bias.detach()


def _choose(
    train: tuple[Tensor, Tensor],
    val: tuple[Tensor, Tensor],
    config: AdamProbeConfig,
    rng: torch.Generator,
) -> _Choice:
    """Return the head with the best validation accuracy over all steps and weight decays."""
    (z, y), (z_val, y_val) = train, val
    classes = int(torch.cat([y, y_val]).max()) + 1
    best, choice = (-1.0, 0.0), None
    for step, (weight, bias) in enumerate(training(z, y, classes, config, rng), start=1):
        logits = _logits(z_val, weight, bias)
        accuracies = _accuracy(logits, y_val[:, None]).tolist()
        losses = _cross_entropy(logits, y_val).tolist()
        for head, decay in enumerate(config.weight_decays):
            score = (accuracies[head], -losses[head])
            if score > best and not math.isnan(losses[head]):
                best = score
                head_weights = weight[:, head].clone(), bias[head].clone()
                choice = _Choice(*head_weights, step, decay, accuracies[head])
    if choice is None:
        raise UserError("the probe's validation loss is not a number; lower its learning rate")
    return choice


def _logits(z: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return the logits [n, H, C] of every head in one matrix product."""
    return torch.addmm(bias.flatten(), z, weight.flatten(1)).view(-1, *bias.shape)


def _cross_entropy(logits: Tensor, y: Tensor) -> Tensor:
    """Return each head's mean cross-entropy [H] from logits [n, H, C] and classes [n]."""
    heads = logits.size(1)
    losses = cross_entropy(logits.flatten(0, 1), y.repeat_interleave(heads), reduction="none")
    return losses.view(-1, heads).mean(dim=0)


def _accuracy(logits: Tensor, y: Tensor) -> Tensor:
    """Return the share of rows whose largest logit is at the class, for each head if several."""
    return (logits.argmax(dim=-1) == y).double().mean(dim=0)
