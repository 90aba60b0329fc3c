"""Scorers choose settings in scikit-learn's searches, and look at no test label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from torch_geometric.data import Data

from homogcl.core.errors import UnknownName, UserError
from homogcl.core.seeds import stream
from homogcl.evaluate.probe import linear_probe
from homogcl.homophily.selection import unlabeled_scores
from homogcl.runs.embedder import Embedder
from homogcl.runs.run import Run
from homogcl.runs.scorers import scorer
from homogcl.runs.train import Trained, fit_run

SMALL: dict[str, Any] = {"epochs": 2, "hidden_dim": 8, "out_dim": 4}
NAMES = ("probe", "links", "modularity")


def test_each_is_the_measure_of_its_name(block_graph: Data) -> None:
    embedder = Embedder("grace", graph=block_graph, **SMALL).fit(np.arange(60))
    z = torch.tensor(embedder.embedding_)
    masks = (block_graph.train_mask, block_graph.val_mask, block_graph.val_mask)
    expected = linear_probe(z, block_graph.y, masks)["val_accuracy"]
    assert scorer("probe")(embedder, [0]) == expected
    edges = embedder.graph_.edge_index
    label_free = unlabeled_scores(z, edges, stream(0, "unlabeled"))["modularity"]
    assert scorer("modularity")(embedder, [0]) == pytest.approx(label_free)
    assert 0 <= scorer("links")(embedder, [0]) <= 1


def test_links_are_scored_on_a_training_without_them(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Embedder("raw", graph=block_graph).fit([0])
    edge_counts = []

    def watched(run: Run) -> Trained:
        edge_counts.append(run.graph.num_edges)
        return fit_run(run)

    monkeypatch.setattr("homogcl.runs.scorers.fit_run", watched)
    assert 0 <= scorer("links")(embedder, [0]) <= 1
    assert edge_counts == [
        embedder.graph_.num_edges - 2 * round(0.1 * embedder.graph_.num_edges / 2)
    ]


def test_the_probe_sees_no_test_label(block_graph: Data) -> None:
    embedder = Embedder("raw", graph=block_graph).fit([0])
    before = scorer("probe")(embedder, [0])
    spoiled = block_graph.clone()
    spoiled.y = torch.where(block_graph.test_mask, 2 - block_graph.y, block_graph.y)
    assert scorer("probe")(Embedder("raw", graph=spoiled).fit([0]), [0]) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_search_chooses_the_better_setting(block_graph: Data, name: str) -> None:
    nodes = np.arange(60)
    embedder = Embedder("grace", graph=block_graph, **SMALL)
    grid = {"epochs": [1, 3]}
    search = GridSearchCV(embedder, grid, scoring=scorer(name), cv=[(nodes, nodes)])
    search.fit(nodes)
    scores = search.cv_results_["mean_test_score"]
    for epochs, score in zip((1, 3), scores, strict=True):
        alone = Embedder("grace", graph=block_graph, **{**SMALL, "epochs": epochs}).fit(nodes)
        assert scorer(name)(alone, nodes) == pytest.approx(score)
    assert search.best_params_ == {"epochs": (1, 3)[int(np.argmax(scores))]}
    assert cross_val_score(embedder, nodes, scoring=scorer(name), cv=2).shape == (2,)


def test_mistakes_are_named(block_graph: Data) -> None:
    with pytest.raises(UnknownName, match=r"unknown scorer 'probes' \(did you mean: probe"):
        scorer("probes")
    for name in NAMES:
        with pytest.raises(NotFittedError):
            scorer(name)(Embedder("raw", graph=block_graph), [0])
    bare = Data(x=block_graph.x, edge_index=block_graph.edge_index)
    with pytest.raises(UserError, match="the scorer probe needs labels and a split"):
        scorer("probe")(Embedder("raw", graph=bare).fit([0]), [0])
    with pytest.raises(UserError, match="needs an Embedder with a graph of torch_geometric"):
        scorer("probe")(Embedder("raw").fit(block_graph), [0])
