from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.nn import GAE, VGAE
from torch_geometric.utils import coalesce

from homogcl.core.errors import UserError
from homogcl.losses.reconstruction import gaussian_kl, negative_pairs, reconstruction
from tests.reference.infomax import cross_entropy, edge_set, small_graph


def embeddings(nodes: int = 9, dim: int = 3, seed: int = 0) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(nodes, dim, generator=rng, dtype=torch.float64)


def with_loops(edge_index: Tensor, nodes: int) -> Tensor:
    return torch.cat([edge_index, torch.arange(nodes).expand(2, -1)], dim=1)


@pytest.mark.parametrize("tile", [1, 2, 4, 9, 1024])
def test_all_pairs_are_classified_by_their_inner_product(tile: int) -> None:
    graph, z = small_graph(), embeddings()
    edges = edge_set(graph)
    pairs = [(i, j, float(z[i] @ z[j])) for i in range(9) for j in range(9)]
    is_one = [i == j or (i, j) in edges for i, j, _ in pairs]
    scores = torch.tensor([s for *_, s in pairs], dtype=torch.float64)
    mask = torch.tensor(is_one)
    expected = cross_entropy(scores[mask], scores[~mask])
    loss = reconstruction(z, graph.edge_index, tile=tile)
    torch.testing.assert_close(loss, expected.double())


@pytest.mark.parametrize("tile", [2, 1024])
def test_all_pairs_have_the_gradient_of_their_value(tile: int) -> None:
    edge_index = small_graph().edge_index
    z = embeddings().requires_grad_()
    assert torch.autograd.gradcheck(lambda t: reconstruction(t, edge_index, tile=tile), (z,))


def test_sampled_pairs_give_the_loss_of_torch_geometric() -> None:
    edge_index, z = small_graph().edge_index, embeddings()
    negatives = torch.tensor([[0, 0, 2, 2, 8], [2, 3, 0, 0, 1]])  # one of them twice
    oracle = GAE(torch.nn.Identity()).recon_loss(z, with_loops(edge_index, 9), negatives)
    torch.testing.assert_close(reconstruction(z, edge_index, negatives), oracle)


def test_sampled_pairs_have_the_gradient_of_their_value() -> None:
    edge_index = small_graph().edge_index
    negatives = torch.tensor([[0, 0, 2, 2, 8], [2, 3, 0, 0, 1]])
    z = embeddings().requires_grad_()
    assert torch.autograd.gradcheck(lambda t: reconstruction(t, edge_index, negatives), (z,))


def test_the_negatives_of_the_exact_loss_are_all_that_can_be_sampled() -> None:
    graph, z = small_graph(), embeddings()
    edges = edge_set(graph)
    every = [(i, j) for i in range(9) for j in range(9) if i != j and (i, j) not in edges]
    negatives = torch.tensor(every).t()
    torch.testing.assert_close(
        reconstruction(z, graph.edge_index), reconstruction(z, graph.edge_index, negatives)
    )


def test_a_complete_graph_has_no_negatives() -> None:
    i, j = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
    edge_index = torch.stack([i[i != j], j[i != j]])
    negatives = negative_pairs(edge_index, 4, 40, torch.Generator().manual_seed(0))
    assert negatives.size(1) == 0
    z = embeddings(4)
    torch.testing.assert_close(
        reconstruction(z, edge_index), reconstruction(z, edge_index, negatives)
    )


@given(nodes=st.integers(2, 30), edges=st.integers(1, 60), seed=st.integers(0, 1000))
def test_negative_pairs_are_sorted_and_neither_edges_nor_loops(
    nodes: int, edges: int, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.randint(nodes, (2, edges), generator=rng)
    pairs = pairs[:, pairs[0] != pairs[1]]
    edge_index = coalesce(torch.cat([pairs, pairs.flip(0)], dim=1), num_nodes=nodes)
    drawn = [(int(i), int(j)) for i, j in negative_pairs(edge_index, nodes, 50, rng).t()]
    assert drawn == sorted(drawn)
    assert all(i != j for i, j in drawn)
    assert not set(drawn) & {(int(i), int(j)) for i, j in edge_index.t()}
    assert len(drawn) <= 50


def test_negative_pairs_are_uniform_over_the_pairs_that_are_no_edges() -> None:
    graph = small_graph()
    rng = torch.Generator().manual_seed(0)
    draws = torch.cat([negative_pairs(graph.edge_index, 9, 30, rng) for _ in range(4000)], dim=1)
    count = torch.bincount(draws[0] * 9 + draws[1], minlength=81).double()
    possible = count[count > 0]
    assert possible.numel() == 81 - 9 - graph.edge_index.size(1)
    expected = 4000 * 30 / 81
    # Six standard deviations of a count whose draws are independent.
    assert float((possible - expected).abs().max()) < 6 * expected**0.5


def test_the_divergence_from_the_prior_is_that_of_torch_geometric_and_of_torch() -> None:
    mu, log_std = embeddings(seed=1), embeddings(seed=2)
    oracle = VGAE(torch.nn.Identity()).kl_loss(mu, log_std)
    prior = torch.distributions.Normal(torch.zeros_like(mu), torch.ones_like(mu))
    posterior = torch.distributions.Normal(mu, log_std.exp())
    exact = torch.distributions.kl_divergence(posterior, prior).sum(1).mean()
    torch.testing.assert_close(gaussian_kl(mu, log_std), oracle)
    torch.testing.assert_close(gaussian_kl(mu, log_std), exact)


@given(order=st.permutations(range(4)))
def test_edges_in_another_form_are_refused(order: list[int]) -> None:
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    z, right = embeddings(3), reconstruction(embeddings(3), edge_index)
    if order == sorted(order):
        torch.testing.assert_close(reconstruction(z, edge_index[:, order]), right)
    else:
        with pytest.raises(UserError, match="edge_index"):
            reconstruction(z, edge_index[:, order])
    with pytest.raises(UserError, match="edge_index"):
        reconstruction(z, edge_index[:, order[:3]])
