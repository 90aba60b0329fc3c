"""Scores of a trained method: what tasks get to see, and that held-out edges leave no trace."""

from __future__ import annotations

import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.features import normalize
from homogcl.data.structural import structural_features
from homogcl.evaluate.links import link_scores
from homogcl.evaluate.probe import predictions
from homogcl.homophily.edges import cluster_saliencies
from homogcl.homophily.selection import unlabeled_scores
from homogcl.methods.inference import embeddings, logits
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.runs.scores import inputs_of, scores, with_edges_held_out, without_test_labels
from homogcl.runs.train import fit_run

SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "epochs": 2}


def trained(name: str, graph: Data, settings: dict[str, object]) -> Run:
    return Run.of(name, resolve(name, "", settings), graph)


def test_a_supervised_method_is_scored_by_its_predictions(block_graph: Data) -> None:
    run = trained("gcn", block_graph, {"hidden_dim": 8, "epochs": 2})
    method = fit_run(run).method
    masks = (block_graph.train_mask, block_graph.val_mask, block_graph.test_mask)
    expected = predictions(logits(method, block_graph), block_graph.y, masks)
    assert scores(method, block_graph, 0, ("probe",)) == expected


def test_saliency_and_unlabeled_are_the_methods_own(block_graph: Data) -> None:
    method = fit_run(trained("grace+homogcl", block_graph, {**SMALL, "num_clusters": 3})).method
    metrics = scores(method, block_graph, 5, ("saliency", "unlabeled"))
    saliency = cluster_saliencies(method, block_graph, seed=5)
    source, target = block_graph.edge_index
    same = block_graph.y[source] == block_graph.y[target]
    assert metrics["edge_homophily"] == pytest.approx(float(same.double().mean()))
    assert metrics["saliency_auc"] == pytest.approx(roc_auc_score(same, saliency))
    z = embeddings(method, block_graph)
    expected = unlabeled_scores(z, block_graph.edge_index, stream(5, "unlabeled"))
    assert {key: metrics[key] for key in expected} == expected


def test_links_are_scored_on_the_edges_that_were_held_out(block_graph: Data) -> None:
    part, links = with_edges_held_out(block_graph, "row", 0)
    method = fit_run(trained("grace", part, SMALL)).method
    expected = link_scores(embeddings(method, part), links)
    assert scores(method, part, 0, ("links",), links) == expected
    with pytest.raises(UserError, match="edges that the training did not see"):
        scores(method, part, 0, ("links",))


def test_arrays_alone_have_no_model(block_graph: Data) -> None:
    inputs = inputs_of(block_graph.x, block_graph, 4)
    assert (inputs.model, inputs.logits, inputs.saliency, inputs.links) == (None,) * 4
    assert inputs.seed == 4
    assert inputs.masks is not None
    assert torch.equal(torch.as_tensor(inputs.masks[2]), block_graph.test_mask)
    bare = Data(x=block_graph.x, edge_index=block_graph.edge_index)
    assert inputs_of(bare.x, bare, 0).masks is None
    assert inputs_of(bare.x, bare, 0).labels is None


def test_labels_of_test_nodes_are_gone(block_graph: Data) -> None:
    before = block_graph.y.clone()
    part = without_test_labels(block_graph, "a choice")
    used = block_graph.train_mask | block_graph.val_mask
    assert torch.equal(part.y[used], before[used])
    assert (part.y[~used] == -1).all()
    assert torch.equal(part.test_mask, block_graph.val_mask)
    assert torch.equal(block_graph.y, before)
    for key in ("train_mask", "val_mask"):
        graph = block_graph.clone()
        graph.y[graph[key]] = -1
        with pytest.raises(UserError, match=f"a choice needs .*: {key} has no labeled node"):
            without_test_labels(graph, "a choice")
        del graph[key]
        with pytest.raises(UserError, match=f"the graph has no {key}"):
            without_test_labels(graph, "a choice")


def test_held_out_edges_are_gone_from_edges_weights_and_features(block_graph: Data) -> None:
    block_graph.edge_weight = torch.arange(1.0, block_graph.edge_index.size(1) + 1)
    part, links = with_edges_held_out(block_graph, "row", 0)
    held = {tuple(pair) for pair in links.edges.t().tolist()}
    left = {tuple(sorted(pair)) for pair in part.edge_index.t().tolist()}
    assert held
    assert not held & left
    assert torch.equal(part.edge_weight, block_graph.edge_weight[links.remaining])
    assert torch.equal(part.x, block_graph.x)

    block_graph.structural = True
    again, _ = with_edges_held_out(block_graph, "row", 0)
    x = structural_features(
        part.edge_index, 60, block_graph.num_features, seed=0, edge_weight=part.edge_weight
    )
    torch.testing.assert_close(again.x, normalize(x))
    other, _ = with_edges_held_out(block_graph, "row", 1)
    assert not torch.equal(other.edge_index, again.edge_index)
