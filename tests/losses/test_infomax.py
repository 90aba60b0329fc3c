from __future__ import annotations

import torch

from homogcl.losses.infomax import bilinear, jensen_shannon, readout
from tests.reference.infomax import cross_entropy


def doubles(*shape: int, seed: int = 0) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def test_jensen_shannon_is_the_cross_entropy_written_out() -> None:
    positive, negative = doubles(7, seed=1), doubles(4, seed=2)
    torch.testing.assert_close(
        jensen_shannon(positive, negative), cross_entropy(positive, negative).double()
    )


def test_jensen_shannon_has_the_gradient_of_its_value() -> None:
    scores = (doubles(5, seed=1).requires_grad_(), doubles(3, seed=2).requires_grad_())
    assert torch.autograd.gradcheck(jensen_shannon, scores)


def test_jensen_shannon_is_finite_where_the_sigmoid_is_not_invertible() -> None:
    loss = jensen_shannon(torch.tensor([-1e4]), torch.tensor([1e4]))
    assert float(loss) == 2e4


def test_bilinear_scores_each_node_with_the_summary() -> None:
    h, w, s = doubles(6, 4, seed=1), doubles(4, 4, seed=2), doubles(4, seed=3)
    slow = [sum(h[i, a] * w[a, b] * s[b] for a in range(4) for b in range(4)) for i in range(6)]
    torch.testing.assert_close(bilinear(h, w, s), torch.stack([torch.as_tensor(t) for t in slow]))


def test_readout_does_not_depend_on_the_order_of_the_nodes() -> None:
    h = doubles(6, 4)
    assert float((readout(h) - readout(h.flip(0))).abs().max()) < 1e-15
    torch.testing.assert_close(readout(h), 1 / (1 + torch.exp(-h.sum(0) / 6)))
