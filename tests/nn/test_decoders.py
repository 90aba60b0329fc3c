from __future__ import annotations

import torch
from torch import Tensor

from homogcl.nn.decoders import EdgeDecoder

PAIRS = torch.tensor([[0, 3, 3, 5], [1, 2, 4, 5]])


def decoder(dropout: float = 0.5) -> EdgeDecoder:
    torch.manual_seed(0)
    return EdgeDecoder(4, 7, dropout).double()


def vectors() -> Tensor:
    rng = torch.Generator().manual_seed(1)
    return torch.randn(6, 4, generator=rng, dtype=torch.float64).requires_grad_()


def test_logits_are_the_formula_pair_by_pair() -> None:
    network, z = decoder(), vectors()
    for logit, (i, j) in zip(network(z, PAIRS), PAIRS.t().tolist(), strict=True):
        total = network.last.bias[0]
        for unit in range(7):
            inside = network.hidden.bias[unit]
            for column in range(4):
                inside = inside + network.hidden.weight[unit, column] * z[i, column] * z[j, column]
            total = total + network.last.weight[0, unit] * max(inside, inside.new_zeros(()))
        torch.testing.assert_close(logit, total)


def test_gradient_is_numerically_right() -> None:
    network, z = decoder(), vectors()
    assert torch.autograd.gradcheck(lambda x: network(x, PAIRS), z)


def test_the_order_of_a_pair_changes_nothing() -> None:
    network, z = decoder(), vectors()
    assert torch.equal(network(z, PAIRS), network(z, PAIRS.flip(0)))


def test_inputs_are_dropped_by_a_generator_alone() -> None:
    network, z = decoder(), vectors()
    assert torch.equal(network.train()(z, PAIRS), network.eval()(z, PAIRS))
    first, second = (network(z, PAIRS, torch.Generator().manual_seed(2)) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, network(z, PAIRS))
