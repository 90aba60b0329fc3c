"""A mixture of two beta distributions over similarities, fitted by expectation-maximization."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_EDGE = 1e-6  # keeps similarities away from 0 and 1, where a beta density may be infinite


@dataclass(frozen=True)
class BetaMixture:
    """Two beta distributions over [0, 1], the one with the lower mean first."""

    alpha: Tensor  # first shape parameters, float64 [2]
    beta: Tensor  # second shape parameters, float64 [2]
    weight: Tensor  # shares, float64 [2], that sum to 1

    def posterior_low(self, s: Tensor) -> Tensor:
        """Return the probability that `s` comes from the lower component, in the shape of `s`.

        It is the logistic function of log w₀B(s; α₀, β₀) - log w₁B(s; α₁, β₁), which is linear
        in log s and log(1 - s).
        """
        norm = torch.lgamma(self.alpha + self.beta) - torch.lgamma(self.alpha)
        constant = self.weight.log() + norm - torch.lgamma(self.beta)
        of_log = float(self.alpha[0] - self.alpha[1])
        of_rest = float(self.beta[0] - self.beta[1])
        s = s.clamp(_EDGE, 1 - _EDGE)
        log_odds = (-s).log1p_().mul_(of_rest).add_(s.log(), alpha=of_log)
        return log_odds.add_(float(constant[0] - constant[1])).sigmoid_()


def fit_beta_mixture(s: Tensor, share: float, iterations: int = 10) -> BetaMixture:
    """Return the mixture that EM finds for the similarities `s` in [0, 1], [M], at least one.

    The maximization step matches moments. The upper component begins with the weight `share`, and
    its β stays above 1, so that its density does not grow without bound towards 1.
    """
    s = s.detach().double().clamp(_EDGE, 1 - _EDGE)
    lower, upper = s.new_tensor([1.0, 2.0]), s.new_tensor([2.0, 1.0])
    mixture = BetaMixture(lower, upper, s.new_tensor([1 - share, share]))
    for _ in range(iterations):
        # Every observation keeps some weight in both: an empty component has no moments.
        low = mixture.posterior_low(s).clamp(1e-9, 1 - 1e-9)
        shapes = [_matched(s, low), _matched(s, 1 - low)]
        alpha, beta = torch.stack(shapes).t()
        if beta[1] < 1:
            beta = torch.stack([beta[0], beta.new_tensor(1.01)])
        mixture = BetaMixture(alpha, beta, torch.stack([low.mean(), 1 - low.mean()]))
    mean = mixture.alpha / (mixture.alpha + mixture.beta)
    order = [0, 1] if bool(mean[0] <= mean[1]) else [1, 0]
    return BetaMixture(mixture.alpha[order], mixture.beta[order], mixture.weight[order])


def _matched(s: Tensor, weight: Tensor) -> Tensor:
    """Return (α, β) of the beta distribution with the weighted mean and variance of `s`, [2]."""
    total = weight.sum()
    mean = (weight @ s) / total
    room = mean * (1 - mean)
    # A variance of 0 gives a spike; one of `room` or more is that of no beta distribution.
    variance = ((weight @ (s - mean).square()) / total).clamp(min=1e-6 * room, max=0.999 * room)
    strength = room / variance - 1
    return torch.stack([mean * strength, (1 - mean) * strength])
