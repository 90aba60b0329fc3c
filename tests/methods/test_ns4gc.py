from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine, Positives
from homogcl.methods.base import Sizes, total
from homogcl.methods.ns4gc import NS4GC, ViewsWithEdges
from tests.reference.neighbors import averaged, cosines, doubled, weighted_pairs


def ns4gc(**settings: object) -> NS4GC:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "threshold": 0.2, "temperature": 0.3, **settings}
    return NS4GC(NS4GC.Config.model_validate(small), Sizes(nodes=18, features=16)).double()


@pytest.fixture
def graph(block_graph: Data) -> Data:
    """A part of the graph that loops can go through, in float64."""
    return doubled(block_graph.subgraph(torch.arange(18)))


def drawn(method: NS4GC, graph: Data) -> ViewsWithEdges:
    return method.views(graph, torch.Generator().manual_seed(1))


def similarity(method: NS4GC, graph: Data) -> Tensor:
    """S of all pairs, from the encoder's output, pair by pair."""
    views = drawn(method, graph).compared
    return cosines(method.encoder(views.first), method.encoder(views.second))


def slow_terms(s: Tensor, graph: Data) -> dict[str, Tensor]:
    """The three summands of the loss, pair by pair."""
    edges = set(map(tuple, graph.edge_index.t().tolist()))
    own, near, other = [], [], []
    for i in range(s.size(0)):
        for j in range(s.size(0)):
            if i == j:
                own.append(s[i, j])
            elif (i, j) in edges:
                near.append(s[i, j])
            else:
                other.append(1 / (1 + (-(s[i, j] - 0.2) / 0.3).exp()))
    return {
        "alignment": -torch.stack(own).mean(),
        "neighbors": -torch.stack(near).mean(),
        "sparsity": torch.stack(other).mean(),
    }


def test_loss_and_gradient_are_the_formula_pair_by_pair(graph: Data) -> None:
    method = ns4gc(drop_edge_1=0.5)
    slow = slow_terms(similarity(method, graph), graph)
    terms = method.objective(drawn(method, graph))
    torch.testing.assert_close(terms, slow)
    parameters = list(method.parameters())
    torch.testing.assert_close(
        torch.autograd.grad(total(terms, method.term_weights()), parameters),
        torch.autograd.grad(total(slow, {}), parameters),
    )


def test_sampled_negatives_change_the_sparsity_alone(graph: Data) -> None:
    everything, few = ns4gc(), ns4gc(negatives="sampled", num_negatives=5)
    exact = everything.objective(drawn(everything, graph))
    estimate = few.objective(drawn(few, graph))
    assert torch.equal(exact["alignment"], estimate["alignment"])
    assert torch.equal(exact["neighbors"], estimate["neighbors"])
    assert not torch.equal(exact["sparsity"], estimate["sparsity"])
    whole = ns4gc(negatives="sampled", num_negatives=18)
    torch.testing.assert_close(whole.objective(drawn(whole, graph))["sparsity"], exact["sparsity"])


def test_each_neighbor_counts_by_its_weight(graph: Data) -> None:
    method = ns4gc()
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    s, terms = similarity(method, graph), method.objective(drawn(method, graph), pairs)
    slow = torch.zeros((), dtype=torch.float64)
    for (i, j), weight in zip(graph.edge_index.t().tolist(), pairs.weight, strict=True):
        slow = slow - weight * s[i, j] / graph.num_edges
    torch.testing.assert_close(terms["neighbors"], slow)
    alone = method.objective(drawn(method, graph))
    assert torch.equal(terms["alignment"], alone["alignment"])
    assert torch.equal(terms["sparsity"], alone["sparsity"])


def test_neighbors_that_all_weigh_one_are_its_own(graph: Data) -> None:
    method = ns4gc()
    equal = torch.ones(graph.num_edges, dtype=torch.float64)
    pairs = Positives(graph.edge_index, equal, combine=Combine.TERM)
    views = drawn(method, graph)
    assert method.objective(views, pairs) == method.objective(views)


def test_under_a_mean_nodes_and_neighbors_share_one_term(graph: Data) -> None:
    method = ns4gc()
    pairs = weighted_pairs(graph.edge_index, Combine.WEIGHTED_MEAN)
    s, terms = similarity(method, graph), method.objective(drawn(method, graph), pairs)
    assert list(terms) == ["alignment", "sparsity"]
    torch.testing.assert_close(terms["alignment"], -2 * averaged(s.diagonal(), s, pairs).mean())


def test_a_graph_without_edges_has_no_loss_of_neighbors(graph: Data) -> None:
    graph.edge_index = torch.empty(2, 0, dtype=torch.long)
    method = ns4gc()
    assert float(method.objective(drawn(method, graph))["neighbors"].detach()) == 0.0


def test_embeddings_are_unit_rows_of_two_convolutions_with_selu(graph: Data) -> None:
    method = ns4gc()
    h = graph.x
    for layer, bends in zip(method.encoder.layers, (True, False), strict=True):
        weight, bias = layer.get_parameter("weight"), layer.get_parameter("bias")
        convolution = GCNConv(*weight.shape).double()
        convolution.lin.weight.data, convolution.bias.data = weight.t(), bias.data
        h = convolution(h, graph.edge_index)
        h = torch.nn.functional.selu(h) if bends else h
    torch.testing.assert_close(method.embed(graph), h / h.norm(dim=1, keepdim=True))


def test_more_sampled_negatives_than_nodes_are_refused() -> None:
    with pytest.raises(UserError, match="num_negatives=19 is more than the 18 nodes"):
        ns4gc(negatives="sampled", num_negatives=19).check(18)
