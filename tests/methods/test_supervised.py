"""Loss, dropout and the choice of the epoch, which all supervised methods share."""

import copy
import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Sizes, total
from homogcl.methods.inference import embeddings
from homogcl.methods.mlp import MLP
from homogcl.methods.sage import SAGE
from homogcl.methods.supervised import Network, Supervised, SupervisedConfig
from homogcl.nn.layers import DenseLayer, SAGELayer
from homogcl.training.loop import TrainConfig, fit


def method_on(graph: Data, **settings: object) -> MLP:
    torch.manual_seed(0)
    return MLP(MLP.Config.model_validate(settings), Sizes.of(graph))


def accuracy_and_loss(network: Network, graph: Data) -> tuple[float, float]:
    """Accuracy and mean cross-entropy on the validation nodes, one node at a time."""
    frozen = copy.deepcopy(network).eval()
    logits = frozen(graph).detach().double()
    nodes = [i for i in range(len(logits)) if graph.val_mask[i]]
    right = sum(int(logits[i].argmax()) == int(graph.y[i]) for i in nodes)
    loss = sum(
        math.log(sum(math.exp(float(value)) for value in logits[i]))
        - float(logits[i, int(graph.y[i])])
        for i in nodes
    )
    return right / len(nodes), loss / len(nodes)


def test_objective_is_cross_entropy_of_training_nodes_and_decay_of_first_layer(
    block_graph: Data,
) -> None:
    block_graph.x = block_graph.x.double()
    method = method_on(block_graph, first_layer_decay=0.03, input_dropout=0, dropout=0).double()
    loss = total(method.objective(block_graph), method.term_weights())

    w0, b0, w1, b1 = (parameter.detach() for parameter in method.network.parameters())
    terms = []
    for i in range(60):
        if block_graph.train_mask[i]:
            hidden = [max(0.0, float(block_graph.x[i] @ w0[:, k] + b0[k])) for k in range(16)]
            scores = [
                sum(hidden[k] * float(w1[k, c]) for k in range(16)) + float(b1[c]) for c in range(3)
            ]
            terms.append(math.log(sum(map(math.exp, scores))) - scores[int(block_graph.y[i])])
    decay = 0.5 * sum(float(value) ** 2 for value in w0.flatten())
    assert len(terms) == 12
    assert float(loss.detach()) == pytest.approx(sum(terms) / 12 + 0.03 * decay, rel=1e-10)


def test_gradient_of_the_objective(block_graph: Data) -> None:
    block_graph.x = block_graph.x.double()
    method = method_on(block_graph, hidden_dim=3, input_dropout=0, dropout=0).double()

    def loss(weight: Tensor) -> Tensor:
        named = {"network.layers.0.weight": weight}
        terms = torch.func.functional_call(_Objective(method), _under(named), block_graph)
        return total(terms, method.term_weights())

    first = method.network.get_parameter("layers.0.weight")
    weight = first.detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(loss, (weight,))


class _Objective(torch.nn.Module):
    def __init__(self, method: Supervised) -> None:
        super().__init__()
        self.method = method

    def forward(self, graph: Data) -> dict[str, Tensor]:
        return self.method.objective(graph)


def _under(named: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"method.{key}": value for key, value in named.items()}


def test_all_matrices_of_the_first_layer_decay_and_no_bias(block_graph: Data) -> None:
    method = SAGE(SAGE.Config(first_layer_decay=1.0), Sizes.of(block_graph))
    first = method.network.layers[0]
    assert isinstance(first, SAGELayer)
    with torch.no_grad():
        first.bias.fill_(100.0)
    expected = 0.5 * (first.root.square().sum() + first.weight.square().sum())
    torch.testing.assert_close(method.objective(block_graph)["decay"], expected)


def test_labels_outside_training_and_validation_change_nothing(block_graph: Data) -> None:
    other = block_graph.clone()
    other.y = torch.where(block_graph.test_mask, (block_graph.y + 1) % 3, block_graph.y)
    states = [
        fit(method_on(graph), graph, TrainConfig(epochs=5), seed=0).state_dict()
        for graph in (block_graph, other)
    ]
    assert all(torch.equal(value, states[1][key]) for key, value in states[0].items())


def test_training_labels_matter(block_graph: Data) -> None:
    other = block_graph.clone()
    other.y = torch.where(block_graph.train_mask, (block_graph.y + 1) % 3, block_graph.y)
    right = []
    for graph in (block_graph, other):
        method = method_on(graph)
        fit(method, graph, TrainConfig(epochs=40, learning_rate=0.05), seed=0)
        right.append(float((method.predict(graph).argmax(1) == block_graph.y).float().mean()))
    assert right[0] > 0.9
    assert right[1] < right[0]


def test_best_network_on_validation_is_kept(block_graph: Data) -> None:
    block_graph.x = block_graph.x.double()
    method = method_on(block_graph).double()
    scores: list[tuple[float, float]] = []
    states: list[dict[str, Tensor]] = []

    def follow(_: object) -> None:
        scores.append(accuracy_and_loss(method.network, block_graph))
        states.append(copy.deepcopy(method.network.state_dict()))

    fit(method, block_graph, TrainConfig(epochs=60, learning_rate=0.3), seed=1, on_epoch=follow)
    best = max(range(60), key=lambda i: (scores[i][0], -scores[i][1]))
    assert 0 < best < 59  # neither the first nor the last, so that the choice is one
    assert all(
        torch.equal(value, states[best][key]) for key, value in method.best.state_dict().items()
    )
    assert float(method.best_accuracy) == pytest.approx(scores[best][0])
    assert float(method.best_loss) == pytest.approx(scores[best][1], rel=1e-9)


def test_predictions_and_embeddings_are_of_the_best_network(block_graph: Data) -> None:
    method = method_on(block_graph)
    fit(method, block_graph, TrainConfig(epochs=3), seed=0)
    before = method.predict(block_graph), method.embed(block_graph)
    with torch.no_grad():
        for parameter in method.network.parameters():
            parameter.zero_()
    assert torch.equal(method.predict(block_graph), before[0])
    assert torch.equal(method.embed(block_graph), before[1])
    _, _, w1, b1 = method.best.parameters()
    torch.testing.assert_close(before[1] @ w1 + b1, before[0])
    assert before[0].shape == (60, 3)
    assert before[1].shape == (60, 16)


def test_best_network_is_never_in_training_mode(block_graph: Data) -> None:
    method = method_on(block_graph, norm="batch")
    fit(method, block_graph, TrainConfig(epochs=3), seed=0)
    method.train()
    state = copy.deepcopy(method.best.state_dict())
    assert torch.equal(method.embed(block_graph), embeddings(method, block_graph))
    assert all(torch.equal(value, state[key]) for key, value in method.best.state_dict().items())


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_csr])
def test_input_dropout_keeps_the_mean_and_drops_the_stated_share(layout: torch.layout) -> None:
    n, d = 400, 50
    x = torch.ones(n, d).to_sparse_csr() if layout == torch.sparse_csr else torch.ones(n, d)
    layer = DenseLayer(d, d)
    with torch.no_grad():
        layer.weight.copy_(torch.eye(d))
    config = SupervisedConfig(input_dropout=0.6, dropout=0)
    network = Network([layer, DenseLayer(d, 2)], DenseLayer.structure, d, config)
    torch.manual_seed(0)
    (dropped,) = network.hidden(Data(x=x))
    assert bool(((dropped == 0) | (dropped == 2.5)).all())
    assert float((dropped == 0).float().mean()) == pytest.approx(0.6, abs=0.015)
    assert torch.equal(network.eval().hidden(Data(x=x))[0], torch.ones(n, d))


def test_layers_are_the_hidden_ones_of_the_best_network(block_graph: Data) -> None:
    method = method_on(block_graph, hidden_dim=8, num_layers=3).eval()
    outputs = method.layer_outputs(block_graph)
    assert [h.shape for h in outputs] == [(60, 8), (60, 8)]
    shared = method.best.structure(block_graph)
    again = method.best.tails[1](method.best.layers[1](outputs[0], shared))
    assert torch.equal(outputs[1], again)
    assert torch.equal(outputs[1], method.embed(block_graph))


@pytest.mark.parametrize("mask", ["train_mask", "val_mask"])
def test_graph_without_labeled_nodes_is_refused(mask: str, block_graph: Data) -> None:
    block_graph[mask] = torch.zeros(60, dtype=torch.bool)
    with pytest.raises(UserError, match=mask):
        method_on(block_graph).prepare(block_graph, torch.Generator())


def test_graph_without_classes_is_refused() -> None:
    with pytest.raises(UserError, match="needs labels"):
        MLP(MLP.Config(), Sizes(nodes=3, features=2))
