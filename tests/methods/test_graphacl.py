from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.homophily.positives import Combine
from homogcl.methods.base import Sizes
from homogcl.methods.graphacl import GraphACL
from homogcl.methods.negatives import ContrastViews
from tests.reference.neighbors import averaged, cosine, doubled, weighted_pairs


def graphacl(**settings: object) -> GraphACL:
    torch.manual_seed(0)
    small = {"hidden_dim": 8, "out_dim": 6, "temperature": 0.4, **settings}
    return GraphACL(GraphACL.Config.model_validate(small), Sizes(nodes=18, features=16)).double()


@pytest.fixture
def graph(block_graph: Data) -> Data:
    """A part of the graph that loops can go through, in float64."""
    return doubled(block_graph.subgraph(torch.arange(18)))


def drawn(method: GraphACL, graph: Data) -> ContrastViews:
    return method.views(graph, torch.Generator().manual_seed(1))


def moved(method: GraphACL) -> GraphACL:
    """The method with another target than its encoder."""
    with torch.no_grad():
        for parameter in method.target.parameters():
            parameter.add_(torch.linspace(-1, 1, parameter.numel()).view_as(parameter))
    return method


def slow_losses(method: GraphACL, graph: Data) -> Tensor:
    """The loss of every pair of nodes, term by term, [N, N]."""
    v, u = method.encoder(graph), method.target(graph)
    q = v @ method.predictor.weight.t() + method.predictor.bias
    rows = []
    for i in range(len(v)):
        z = torch.stack([(cosine(v[i], v[k]) / 0.4).exp() for k in range(len(v))]).sum()
        positive = [(cosine(q[i], u[j]) / 0.4).exp() for j in range(len(v))]
        rows.append(torch.stack([-(e / (e + z)).log() for e in positive]))
    return torch.stack(rows)


@pytest.mark.parametrize("layers", [1, 2])
def test_loss_and_gradient_are_the_formula_pair_by_pair(layers: int, graph: Data) -> None:
    method = moved(graphacl(num_layers=layers))
    slow, per_node = slow_losses(method, graph), []
    for i in range(18):
        near = graph.edge_index[1][graph.edge_index[0] == i].tolist()
        per_node.append(torch.stack([slow[i, j] for j in [i, *near]]).mean())
    expected = torch.stack(per_node).mean()
    terms = method.objective(drawn(method, graph))
    assert list(terms) == ["contrast"]
    torch.testing.assert_close(terms["contrast"], expected)
    live = [parameter for parameter in method.parameters() if parameter.requires_grad]
    torch.testing.assert_close(
        torch.autograd.grad(terms["contrast"], live), torch.autograd.grad(expected, live)
    )


def test_neighbors_count_by_their_weights(graph: Data) -> None:
    method = moved(graphacl())
    slow, views = slow_losses(method, graph), drawn(method, graph)
    pairs = weighted_pairs(graph.edge_index, Combine.WEIGHTED_MEAN)
    mean = averaged(slow.diagonal(), slow, pairs).mean()
    torch.testing.assert_close(method.objective(views, pairs)["contrast"], mean)
    pairs = weighted_pairs(graph.edge_index, Combine.TERM)
    terms = method.objective(views, pairs)
    torch.testing.assert_close(terms["contrast"], slow.diagonal().mean())
    source, target = graph.edge_index
    near = (pairs.weight * slow[source, target]).mean()
    torch.testing.assert_close(terms["neighbors"], near)


def test_all_nodes_as_a_sample_are_the_exact_loss(graph: Data) -> None:
    exact, sampled = graphacl(), graphacl(negatives="sampled", num_negatives=18)
    few = graphacl(negatives="sampled", num_negatives=3)
    losses = [each.objective(drawn(each, graph))["contrast"] for each in (exact, sampled, few)]
    torch.testing.assert_close(losses[1], losses[0])
    assert abs(float((losses[2] - losses[0]).detach())) > 1e-4


def test_copy_starts_equal_and_follows_by_its_share() -> None:
    method = graphacl(momentum=0.9)
    pairs = list(zip(method.target.parameters(), method.encoder.parameters(), strict=True))
    assert all(torch.equal(held, live) for held, live in pairs)
    before = [held.clone() for held, _ in pairs]
    with torch.no_grad():
        for _, live in pairs:
            live.add_(1.0)
    method.after_step(0.5)
    for old, (held, _) in zip(before, pairs, strict=True):
        torch.testing.assert_close(held, old + 0.1)


def test_nothing_is_augmented(graph: Data) -> None:
    views = drawn(graphacl(), graph)
    assert views.first is graph
    assert views.second is graph


def test_more_sampled_negatives_than_nodes_are_refused() -> None:
    with pytest.raises(UserError, match="num_negatives=19 is more than the 18 nodes"):
        graphacl(negatives="sampled", num_negatives=19).check(18)
