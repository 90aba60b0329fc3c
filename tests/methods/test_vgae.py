from __future__ import annotations

import torch
from torch_geometric.nn import VGAE as PyGVGAE  # noqa: N811

from homogcl.methods.base import Sizes
from homogcl.methods.vgae import VGAE
from tests.reference.infomax import affine, normalized, small_graph


def vgae(all_pairs_up_to: int = 9) -> VGAE:
    torch.manual_seed(0)
    config = VGAE.Config(hidden_dim=6, out_dim=4, all_pairs_up_to=all_pairs_up_to)
    return VGAE(config, Sizes(nodes=9, features=5)).double()


def test_both_terms_are_those_of_torch_geometric() -> None:
    graph, method = small_graph(), vgae(all_pairs_up_to=8)
    views = method.views(graph, torch.Generator().manual_seed(1))
    assert views.negatives is not None
    (w_1, b_1), (w_2, b_2) = (affine(layer) for layer in method.encoder.layers)
    a = normalized(graph)
    hidden = (a @ graph.x @ w_1 + b_1).relu()
    both = a @ hidden @ w_2 + b_2
    mu, log_std = both[:, :4], both[:, 4:]
    z = mu + log_std.exp() * views.noise
    model = PyGVGAE(torch.nn.Identity())
    positive = torch.cat([graph.edge_index, torch.arange(9).expand(2, -1)], dim=1)
    terms = method.objective(views)
    torch.testing.assert_close(
        terms["reconstruction"], model.recon_loss(z, positive, views.negatives)
    )
    torch.testing.assert_close(terms["kl"], 2 / 9 * model.kl_loss(mu, log_std))
    torch.testing.assert_close(method.embed(graph), mu)


def test_the_evidence_bound_is_that_of_the_released_code_twice() -> None:
    graph, method = small_graph(), vgae()
    views = method.views(graph, torch.Generator().manual_seed(1))
    assert views.negatives is None
    mu, log_std = method.encoder(graph).chunk(2, dim=1)
    z = mu + log_std.exp() * views.noise
    label = torch.eye(9, dtype=torch.float64)
    label[graph.edge_index[0], graph.edge_index[1]] = 1
    ones = label.sum()
    cost = (
        81
        / (2 * (81 - ones))
        * torch.nn.functional.binary_cross_entropy_with_logits(
            z @ z.t(), label, pos_weight=(81 - ones) / ones
        )
    )
    inner = (1 + 2 * log_std - mu**2 - log_std.exp() ** 2).sum(1)
    released = cost - (0.5 / 9) * inner.mean()
    terms = method.objective(views)
    torch.testing.assert_close(terms["reconstruction"] + terms["kl"], 2 * released)


def test_each_step_draws_noise_and_the_embedding_has_none() -> None:
    graph, method = small_graph(), vgae()
    rng = torch.Generator().manual_seed(1)
    first, second = method.views(graph, rng), method.views(graph, rng)
    assert first.noise.shape == (9, 4)
    assert not torch.equal(first.noise, second.noise)
    assert torch.equal(method.embed(graph), method.embed(graph))


def test_a_wide_posterior_does_not_overflow() -> None:
    graph, method = small_graph(), vgae().float()
    graph.x = graph.x.float()
    with torch.no_grad():
        affine(method.encoder.layers[1])[1].add_(1000)
    views = method.views(graph, torch.Generator().manual_seed(1))
    assert all(bool(term.isfinite()) for term in method.objective(views).values())
