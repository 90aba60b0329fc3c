"""Runs without message passing."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.training.loop import TrainConfig, fit
from reproduction.artifact import GraphTraining
from reproduction.catalog import FIGURES

SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}
UNCHANGED = dict.fromkeys(("drop_edge_1", "drop_edge_2", "mask_feature_1", "mask_feature_2"), 0.0)


def trained(name: str, graph: Data, **more: object) -> Method:
    method = build(name, {**SMALL, **more}, Sizes.of(graph), 0)
    return fit(method, graph, TrainConfig(epochs=3), seed=0)


def test_a_gcn_without_edges_is_the_perceptron(block_graph: Data) -> None:
    """Figure 2c's identity in place of the adjacency matrix, learned from the first step on."""
    bare = block_graph.clone()
    bare.edge_index = torch.empty(2, 0, dtype=torch.long)
    loops = block_graph.clone()
    loops.edge_index = torch.arange(60).repeat(2, 1)
    blocked = trained("grace", block_graph, encoder="mlp", **UNCHANGED)
    for graph in (bare, loops):
        gcn = trained("grace", graph, encoder="gcn", **UNCHANGED)
        z, other = embeddings(gcn, graph), embeddings(blocked, block_graph)
        torch.testing.assert_close(z, other, rtol=1e-4, atol=1e-5)
    untouched = trained("grace", block_graph, encoder="gcn", **UNCHANGED)
    assert not torch.allclose(embeddings(untouched, block_graph), other, atol=1e-3)


def test_runs_without_message_passing_differ_in_the_encoder_alone() -> None:
    trainings = [
        c for c in FIGURES["message-passing"].trainings(False) if isinstance(c, GraphTraining)
    ]
    grace = [c for c in trainings if c.spec.method == "grace" and c.spec.data == "cora"]
    runs = [c.spec.resolve(by_size=False) for c in grace]
    by_encoder = {run.settings.method["encoder"]: run.recorded_settings for run in runs}
    blocked = by_encoder["mlp"]["method"]
    assert isinstance(blocked, dict)
    assert blocked.pop("encoder") == "mlp"
    assert by_encoder["mlp"] == by_encoder["gcn"]
    assert blocked["drop_edge_1"] == blocked["mask_feature_2"] == 0
