"""Scores and advice on the page: those of the tasks and of `inspect`, or none."""

import numpy as np
import pytest
import torch
from sklearn.metrics import normalized_mutual_info_score

from homogcl.data.load import citation_graph
from homogcl.data.summary import summarize
from homogcl.evaluate.tasks import TaskInputs
from homogcl.pages.verdict import cluster_scores, edge_score, graph_advice, probe_score
from homogcl.runs.scores import inputs_of
from homogcl.runs.tasks import task

# Two triangles, joined by one edge.
SOURCE = [0, 0, 1, 3, 3, 4, 2]
TARGET = [1, 2, 2, 4, 5, 5, 3]
EDGES = np.array([SOURCE + TARGET, TARGET + SOURCE])


def inputs() -> TaskInputs:
    graph = citation_graph(num_nodes=300, num_classes=3, num_words=40, seed=1)
    part = torch.arange(300) % 3
    graph.train_mask, graph.val_mask, graph.test_mask = part == 0, part == 1, part == 2
    return inputs_of(graph.x.to_dense(), graph, seed=0)


def test_probe_is_that_of_the_task() -> None:
    accuracy = task("probe").score(inputs())["test_accuracy"]
    text = probe_score(inputs())["Accuracy of a linear probe on test nodes"]
    assert text == f"{100 * accuracy:.1f} %"


def test_without_labels_or_split_there_is_no_probe() -> None:
    z, edges = np.ones((3, 2)), np.array([[0, 1], [1, 0]])
    assert probe_score(TaskInputs(z, edges, 0)) == {}
    assert probe_score(TaskInputs(z, edges, 0, labels=torch.tensor([0, 1, 1]))) == {}
    nobody = torch.zeros(3, dtype=torch.bool)
    masks = (nobody, nobody, nobody)
    assert probe_score(TaskInputs(z, edges, 0, labels=torch.tensor([0, 1, 1]), masks=masks)) == {}


def test_clusters_are_compared_with_edges_and_with_the_labels_there_are() -> None:
    clusters, labels = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, -1, 0, 0, 1])
    # Six of seven edges lie inside, and half of the ends in each cluster.
    assert cluster_scores(clusters, EDGES, None) == {
        "Modularity of the clusters": f"{6 / 7 - 1 / 2:.3f}"
    }
    scores = cluster_scores(clusters, EDGES, labels)
    wanted = normalized_mutual_info_score([1, 1, 0, 0, 1], [0, 0, 1, 1, 1])
    assert scores["NMI of clusters and classes"] == f"{wanted:.3f}"


def test_edges_are_scored_by_labels_alone() -> None:
    s, labels = np.ones(14), np.array([0, 0, 0, 1, 1, 1])
    s[[6, 13]] = 0.5  # the edge between the triangles
    assert edge_score(s, EDGES, labels) == {"Saliency tells edges within a class (AUC)": "1.000"}
    assert edge_score(s, EDGES, None) == {}
    assert edge_score(s, EDGES, np.zeros(6, dtype=np.int64)) == {}


@pytest.mark.parametrize(("nodes", "text"), [(30, "too few edges"), (600, "edges held out")])
def test_advice_is_that_of_inspect(nodes: int, text: str) -> None:
    graph = citation_graph(num_nodes=nodes, num_classes=2, num_words=40, seed=1)
    advice = graph_advice(graph, summarize(graph), seed=0)
    assert any(text in sentence for sentence in advice)
    assert all(sentence.endswith(".") for sentence in advice)


def test_without_labels_nothing_is_said_of_classes() -> None:
    graph = citation_graph(600, 2, 40, homophily=0.9, seed=1)
    advice = graph_advice(graph, summarize(graph), seed=0)
    assert "No reason to doubt that neighbors belong together." in advice
    del graph.y
    sentences = graph_advice(graph, summarize(graph), seed=0)
    assert sentences[-1].endswith("whether they are of one class, only labels can tell.")
    assert not any("no reason" in sentence.lower() for sentence in sentences)
