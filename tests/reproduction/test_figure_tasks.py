"""What the figures measure, against slow loops and against counting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.edges import edge_saliency
from homogcl.methods.grace import GRACE
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.runs.grid import run_cell
from homogcl.runs.record import read_record, write_record
from homogcl.runs.request import Request
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run
from homogcl.training.loop import TrainConfig, fit
from reproduction.layout_cell import LayoutCell, read_points
from reproduction.similarity import mean_similarities
from reproduction.view_similarity import view_similarities
from reproduction.vision import Images
from reproduction.vision_cell import VisionCell, labeled_rows

SMALL: dict[str, object] = {"hidden_dim": 8, "out_dim": 4}
UNCHANGED = dict.fromkeys(("drop_edge_1", "drop_edge_2", "mask_feature_1", "mask_feature_2"), 0.0)
FAST = {**SMALL, "epochs": 2}


def trained(name: str, graph: Data, **more: object) -> Method:
    method = build(name, {**SMALL, **more}, Sizes.of(graph), 0)
    return fit(method, graph, TrainConfig(epochs=3), seed=0)


def slow_means(u: Tensor, v: Tensor) -> tuple[float, float]:
    own: list[float] = []
    others: list[float] = []
    for i, a in enumerate(u):
        for j, b in enumerate(v):
            cosine = float(a @ b / a.norm() / b.norm())
            (own if i == j else others).append(cosine)
    return sum(own) / len(own), sum(others) / len(others)


@pytest.mark.parametrize("name", ["grace", "grace+homogcl"])
def test_similarities_are_means_over_all_pairs_of_two_views(name: str, block_graph: Data) -> None:
    more = {"num_clusters": 3} if "+" in name else {}
    method = trained(name, block_graph, projector_dim=5, **more)
    found = scores(method, block_graph, 4, ("similarity",))
    base = method.base if "+" in name else method
    assert isinstance(base, GRACE)
    views = base.views(block_graph, stream(4, "similarity"))
    with torch.no_grad():
        u, v = (base.projector(base.encoder(view)) for view in (views.first, views.second))
    positive, negative = slow_means(u, v)
    assert found["positive_similarity"] == pytest.approx(positive, abs=1e-5)
    assert found["negative_similarity"] == pytest.approx(negative, abs=1e-5)


def test_a_view_without_change_is_like_itself(block_graph: Data) -> None:
    method = trained("grace", block_graph, **UNCHANGED)
    found = view_similarities(method, block_graph, 0)
    assert found["positive_similarity"] == pytest.approx(1)
    assert found["negative_similarity"] < 0.999


def test_methods_that_compare_otherwise_are_refused_before_training(tmp_path: Path) -> None:
    run = Request("bgrl", "demo", 0, FAST, tasks=("similarity",)).resolve()
    with pytest.raises(UserError, match="BGRL does not compare nodes as GRACE does"):
        run_cell(run, tmp_path, on_epoch=lambda epoch: pytest.fail("trained"))


def test_following_similarities_leaves_the_training_as_it_was(block_graph: Data) -> None:
    plain = Request("grace", "demo", 0, {**SMALL, "epochs": 4}).resolve().on(block_graph)
    followed = replace(plain, milestones=(1, 3), tasks=("similarity",))
    one, two = (fit_run(run) for run in (plain, followed))
    assert set(two.milestones) == {"1", "3"}
    assert set(two.milestones["1"]) == {"positive_similarity", "negative_similarity"}
    assert two.milestones["1"] != two.milestones["3"]
    same = [embeddings(each.method, block_graph) for each in (one, two)]
    torch.testing.assert_close(*same, rtol=0, atol=0)


def test_a_record_whose_milestones_lack_a_task_is_made_again(tmp_path: Path) -> None:
    run = Request("grace", "demo", 0, FAST, None, (1,), ("similarity",)).resolve()
    record, ran = run_cell(run, tmp_path)
    assert ran
    assert run_cell(run, tmp_path)[1] is False
    probed = record.model_copy(update={"milestones": {"1": {"test_accuracy": 0.5}}})
    write_record(tmp_path, probed)
    again, ran = run_cell(run, tmp_path)
    assert ran
    assert again.milestones == record.milestones
    assert read_record(run.record_path(tmp_path)).metrics == record.metrics


def test_the_task_scores_the_methods_own_saliency(block_graph: Data) -> None:
    method = trained("grace+homogcl", block_graph, num_clusters=3)
    found = scores(method, block_graph, 0, ("saliency",))
    table = edge_saliency(method, block_graph)
    y = block_graph.y
    agree = [int(y[s] == y[t]) for s, t in zip(table.source, table.target, strict=True)]
    assert found["edge_homophily"] == pytest.approx(sum(agree) / len(agree))
    assert found["saliency_auc"] == pytest.approx(roc_auc_score(agree, table.saliency))


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


def few_images(*_: object) -> Images:
    """Forty images of noise in two classes, the one brighter."""
    rng = torch.Generator().manual_seed(3)
    y = torch.arange(40) % 2
    x = 0.4 * torch.rand(40, 1, 8, 8, generator=rng) + 0.3 * y.view(-1, 1, 1, 1)
    return Images("digits", x[:30], y[:30], x[30:], y[30:], "c" * 64)


@pytest.fixture
def small_images(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Images]:
    monkeypatch.setattr("reproduction.vision_cell.load_images", few_images)
    return few_images


def test_a_tenth_of_the_training_images_validates() -> None:
    rows = labeled_rows(few_images(), 0)
    assert rows.test_mask.tolist() == [False] * 30 + [True] * 10
    assert int(rows.val_mask.sum()) == 3
    assert bool((rows.train_mask ^ rows.val_mask ^ rows.test_mask).all())
    assert not torch.equal(labeled_rows(few_images(), 1).val_mask, rows.val_mask)
    torch.testing.assert_close(rows.x[31].view(1, 8, 8), few_images().test[1])


@pytest.mark.usefixtures("small_images")
def test_images_are_recorded_once_with_a_curve_of_every_epoch(tmp_path: Path) -> None:
    tiny = {"epochs": 2, "widths": (4, 6), "batch_size": 10, "augmentation": False}
    cell = VisionCell("simclr", "digits", 0, "images", tiny)
    seen: list[int] = []
    record, ran = cell.run(tmp_path, on_epoch=lambda epoch: seen.append(epoch.number))
    assert ran
    assert seen == [1, 2]
    assert read_record(cell.path(tmp_path)) == record
    assert cell.run(tmp_path) == (record, False)
    assert set(record.milestones) == {"1", "2"}
    assert record.epochs == 2
    curve = record.by_epochs()
    assert curve[2]["test_accuracy"] == record.metrics["test_accuracy"]
    assert curve[1]["positive_similarity"] == pytest.approx(1)
    other = replace(cell, overrides={**tiny, "augmentation": True})
    assert other.path(tmp_path) != cell.path(tmp_path)


@pytest.mark.usefixtures("small_images")
@pytest.mark.parametrize("method", ["pixels", "mlp"])
def test_what_simclr_is_compared_with(method: str, tmp_path: Path) -> None:
    settings = {"epochs": 5} if method == "mlp" else {}
    cell = VisionCell(method, "digits", 0, "images", settings)  # type: ignore[arg-type]
    record, ran = cell.run(tmp_path)
    assert ran
    assert record.method == method
    assert 0 <= record.metrics["test_accuracy"] <= 1
    if method == "pixels":
        assert record.metrics["test_accuracy"] == 1


@pytest.mark.usefixtures("small_images")
def test_wrong_settings_of_images_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="epoch"):
        VisionCell("simclr", "digits", 0, "images", {"epoch": 3}).path(tmp_path)


def test_points_lie_beside_their_record_and_are_made_again_if_lost(tmp_path: Path) -> None:
    cell = LayoutCell(Request("grace", "demo", 0, FAST, tasks=("cluster",)), "points", most=40)
    record, ran = cell.run(tmp_path)
    assert ran
    points = read_points(cell.points_path(tmp_path))
    assert points.at.shape == (40, 2)
    assert cell.run(tmp_path) == (record, False)
    cell.points_path(tmp_path).unlink()
    again, ran = cell.run(tmp_path)
    assert ran
    assert again.metrics == record.metrics
    found = read_points(cell.points_path(tmp_path))
    np.testing.assert_array_equal(found.at, points.at)
    y = cell.spec.resolve().graph.y.numpy()
    assert set(found.labels) <= set(y)


def test_mean_similarities_of_one_view_are_its_own() -> None:
    u = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    assert mean_similarities(u, u).positive == pytest.approx(1)
    assert mean_similarities(u, u).negative == pytest.approx(0)
