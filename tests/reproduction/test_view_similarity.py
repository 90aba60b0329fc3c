"""How alike views are to a method, against slow loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.methods.grace import GRACE
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.runs.grid import run_cell
from homogcl.runs.record import read_record, write_record
from homogcl.runs.request import Request
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run
from homogcl.training.loop import TrainConfig, fit
from reproduction.view_similarity import view_similarities

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
