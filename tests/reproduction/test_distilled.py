"""A perceptron that learns from a method with edges."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from reproduction.distilled import Student, nodes_per_second, student_of
from tests.plugged import edges_of, half_of
from tests.reference.info_nce import slow_averaged_nce


def test_the_loss_is_the_averaged_contrast_with_the_teachers_vectors(block_graph: Data) -> None:
    graph = half_of(block_graph)
    nodes = int(graph.num_nodes or 0)
    targets = torch.randn(nodes, 4, generator=stream(0, "x"), dtype=torch.float64)
    config = Student.Config(encoder="mlp", hidden_dim=8, out_dim=4)
    torch.manual_seed(0)
    student = Student(config, Sizes.of(graph), targets).double()
    views = student.views(graph, stream(1, "augment"))
    near = torch.zeros(nodes, nodes, dtype=torch.float64)
    for i, j in edges_of(graph):
        near[i, j] = 1.0
    share = near / (near.sum(1, keepdim=True) + 0.01)
    u = student.encoder(views.first)
    edges = edges_of(graph)
    slow = slow_averaged_nce(u, targets, 0.5, share, (edges, edges))
    torch.testing.assert_close(student.objective(views)["contrast"], slow)


def test_a_student_needs_no_edges_and_comes_near_its_teacher(block_graph: Data) -> None:
    teacher = build("propagation", {}, Sizes.of(block_graph), seed=0)
    student = student_of(teacher, block_graph, seed=0, hidden_dim=32)
    alone = Data(x=block_graph.x, edge_index=block_graph.edge_index[:, :0])
    z = embeddings(student, alone)
    assert torch.equal(z, embeddings(student, block_graph))
    h = embeddings(teacher, block_graph)
    cosine = torch.nn.functional.cosine_similarity
    own, other = cosine(z, h).mean(), cosine(z, h.roll(7, 0)).mean()
    assert own > other
    assert torch.equal(z, embeddings(student_of(teacher, block_graph, 0, 32), alone))


def test_rates_are_of_each_method(block_graph: Data) -> None:
    methods = [build(name, {}, Sizes.of(block_graph), seed=0) for name in ("raw", "random")]
    rates = nodes_per_second(*methods, graph=block_graph)
    assert len(rates) == 2
    assert min(rates) > 0
