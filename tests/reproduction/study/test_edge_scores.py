"""Areas and shares of edges by their scores, against counting."""

from __future__ import annotations

import pytest
from sklearn.metrics import roc_auc_score

from homogcl.homophily.edges import BINS, edge_saliency
from homogcl.runs.record import Summary
from homogcl.runs.request import Request
from homogcl.runs.train import fit_run
from reproduction.paper.tables import DATA
from reproduction.study.edge_scores import (
    EDGE_SCORES,
    edge_metrics,
    edge_scores_table,
    reliability_table,
)
from tests.records import make_record


def test_areas_and_shares_are_those_of_the_table_of_edges() -> None:
    run = Request("homogcl", "demo-h70", 0, tasks=()).resolve()
    trained = fit_run(run)
    metrics = edge_metrics(run, trained)
    table = edge_saliency(trained.method, trained.graph, seed=0)
    assert metrics["score_auc"] == pytest.approx(roc_auc_score(table.same_label, table.saliency))
    low = table.saliency < BINS[1]
    assert metrics["edges_0"] == pytest.approx(low.mean())
    assert metrics["same_0"] == pytest.approx(table.same_label[low].mean())
    assert sum(metrics.get(f"edges_{k}", 0) for k in range(len(BINS) - 1)) == pytest.approx(1)
    assert metrics["score_auc"] > metrics["features_auc"]


def test_rows_stand_in_the_order_of_the_data_sets() -> None:
    metrics = {"score_auc": 0.8, "cosine_auc": 0.7, "printed_auc": 0.6, "features_auc": 0.5}
    records = [
        make_record(
            method="homogcl", data=data, seed=0, metrics={**metrics, "same_0": 0.25, "edges_0": 0.1}
        )
        for data in ("photo", "cora")
    ]
    table = edge_scores_table(records)
    assert [row[0] for row in table.rows] == ["cora", "photo"]
    score = table.rows[0][2]
    assert isinstance(score, Summary)
    assert score.mean == pytest.approx(0.8)
    assert reliability_table(records).rows[0][2:] == ("25 % of 10.0 %", *[None] * 4)


def test_the_default_and_grace_are_scored_on_all_data_sets() -> None:
    labels = [training.label for training in EDGE_SCORES.trainings(False)]
    for method in ("homogcl", "grace"):
        data = {label.split()[2] for label in labels if label.startswith(f"{method} on ")}
        assert data == {f"{name}," for name in DATA}
