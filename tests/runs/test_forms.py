"""Forms of a run: which one `auto` takes, by which labels, and where it is written down."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.shared_rows import Share, SharedRows
from homogcl.evaluate.tasks import PROBE
from homogcl.methods.base import Method, Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.presets.resolve import resolve
from homogcl.runs import forms
from homogcl.runs.embedder import Embedder
from homogcl.runs.folder import RunFolder
from homogcl.runs.forms import AUTO_FORMS, check_form, settled_form
from homogcl.runs.grid import run_cell
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.scores import inputs_of, scores
from homogcl.runs.train import fit_run, train_run
from tests.toys import Fixed

SMALL: dict[str, Any] = {"epochs": 2, "hidden_dim": 8, "out_dim": 4}


class Layered(Fixed):
    """Its hidden layer tells the classes of a graph; its embeddings tell nothing."""

    def embed(self, graph: Data) -> torch.Tensor:
        """Return zeros, [N, 1]."""
        return torch.zeros(int(graph.num_nodes or 0), 1)

    def layer_outputs(self, graph: Data) -> list[torch.Tensor]:
        """Return the features beside zeros."""
        return [graph.x, self.embed(graph)]


@pytest.fixture
def method(block_graph: Data) -> Method:
    return fit_run(Run.of("grace", resolve("grace", "", SMALL), block_graph)).method


def with_classes_as_features(graph: Data) -> Data:
    graph.x = torch.nn.functional.one_hot(graph.y).float()
    return graph


def test_a_form_that_is_named_is_taken_without_labels(block_graph: Data) -> None:
    del block_graph.y
    check_form("layers", Fixed(), block_graph)
    assert settled_form("layers", Fixed(), block_graph, 0) == "layers"


@pytest.mark.parametrize(
    ("name", "form", "is_taken"),
    [
        *[("grace+homogcl", form, True) for form in ("last", "last/unit", "layers")],
        *[("grace", form, False) for form in ("layers+ax/unit", "last+x", "auto")],
        *[("vgae", "last", True), ("hdi", "last", True), ("homogcl", "last", True)],
        *[(name, "last", False) for name in ("raw", "propagation", "mvgrl")],
    ],
)
def test_shares_of_features_give_what_is_read_by_rows(
    name: str, form: str, is_taken: bool, block_graph: Data
) -> None:
    method = build(name, {}, Sizes.of(block_graph), seed=0)
    shape = (60, block_graph.num_features)
    block_graph.x = SharedRows.of(shape, Share(number=1, count=2), block_graph.x.__getitem__)
    refused = pytest.raises(UserError, match=f", form={re.escape(form)}: shares of a graph")
    with nullcontext() if is_taken else refused:
        check_form(form, method, block_graph)


def test_the_best_candidate_on_validation_nodes_is_chosen(
    method: Method, block_graph: Data
) -> None:
    masks = [block_graph[key] for key in MASKS]
    accuracies = {}
    for form in AUTO_FORMS:
        inputs = inputs_of(embeddings(method, block_graph, form), block_graph, 3)
        accuracies[form] = PROBE.score(inputs)["val_accuracy"]
    best = max(accuracies.values())
    expected = next(form for form in AUTO_FORMS if accuracies[form] == best)
    assert settled_form("auto", method, block_graph, 3) == expected
    assert all(torch.equal(block_graph[key], mask) for key, mask in zip(MASKS, masks, strict=True))

    layered = with_classes_as_features(block_graph)
    assert settled_form("auto", Layered(), layered, 3) == "layers"


def test_labels_of_test_nodes_cannot_change_the_choice(block_graph: Data) -> None:
    graph = with_classes_as_features(block_graph)
    graph.y = torch.where(graph.test_mask, 7, graph.y)
    assert settled_form("auto", Layered(), graph, 0) == "layers"
    graph.y = torch.where(graph.test_mask, graph.y, torch.arange(60) % 3)  # noise elsewhere
    noisy = settled_form("auto", Layered(), graph, 0)
    graph.y = torch.where(graph.test_mask, 0, graph.y)
    assert settled_form("auto", Layered(), graph, 0) == noisy


@pytest.mark.parametrize("key", ["y", "train_mask", "val_mask"])
def test_a_graph_that_nothing_can_be_chosen_on_is_refused_before_a_training(
    block_graph: Data, key: str
) -> None:
    del block_graph[key]
    run = Run.of("grace", resolve("grace", "", {**SMALL, "form": "auto"}), block_graph)
    with pytest.raises(UserError, match=f"form=auto needs labels and a split: .* no {key}"):
        fit_run(run, on_epoch=lambda _: pytest.fail("trained"))
    with pytest.raises(UserError, match=f"form=auto is chosen by labels, .* no {key}"):
        Embedder("grace", form="auto", **SMALL).fit(block_graph)


def test_scores_are_those_of_the_form(method: Method, block_graph: Data) -> None:
    z = embeddings(method, block_graph, "layers+x")
    expected = PROBE.score(inputs_of(z, block_graph, 1))
    assert scores(method, block_graph, 1, ("probe",), form="layers+x") == expected


def test_a_record_has_what_was_asked_for_and_what_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "AUTO_FORMS", ("layers/unit",))
    requests = [Request("grace", "demo", 0, {**SMALL, "form": f}, tasks=("probe",), milestones=(1,))
                for f in ("auto", "layers/unit")]  # fmt: skip
    auto, named = (run_cell(each.resolve(), tmp_path)[0] for each in requests)
    assert auto.settings["data"] == {"form": "auto"}
    assert auto.setting("form", "data") == named.setting("form", "data") == "layers/unit"
    assert auto.metrics == named.metrics
    assert auto.milestones == named.milestones
    assert not run_cell(requests[0].resolve(), tmp_path)[1]
    plain = Request("grace", "demo", 0, SMALL)
    last = Request("grace", "demo", 0, {**SMALL, "form": "last"})
    paths = {each.resolve().record_path(tmp_path) for each in (plain, last)}
    assert len(paths) == 1
    assert not paths.pop().exists()


def test_a_run_folder_and_its_model_have_the_form_that_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "AUTO_FORMS", ("layers+ax",))
    run = Request("grace", "demo", 0, {**SMALL, "form": "auto"}).resolve()
    trained = train_run(run, tmp_path / "run")
    z = embeddings(trained.method, run.graph, "layers+ax").numpy()
    folder = RunFolder(tmp_path / "run")
    np.testing.assert_array_equal(folder.embeddings(), z)
    assert folder.model().form == trained.form == "layers+ax"
    assert json.loads((tmp_path / "run" / "config.json").read_text())["overrides"]["form"] == "auto"
    train_run(run, tmp_path / "run", resume=True)
    np.testing.assert_array_equal(folder.embeddings(), z)
    embedder = Embedder.load(tmp_path / "run")
    assert embedder.get_params()["form"] == "layers+ax"


def test_an_embedder_keeps_its_form_in_its_file(block_graph: Data, tmp_path: Path) -> None:
    embedder = Embedder("grace+homogcl", form="layers+x", num_clusters=3, **SMALL).fit(block_graph)
    z = embedder.transform(block_graph)
    assert z.shape == (60, 8 + 4 + block_graph.num_features)
    again = Embedder.load(embedder.save(tmp_path / "model"))
    np.testing.assert_array_equal(again.transform(block_graph), z)
    part = block_graph.subgraph(torch.arange(40))
    assert again.transform(Data(x=part.x, edge_index=part.edge_index)).shape == (40, z.shape[1])


def test_an_embedder_chooses_by_labels_that_training_does_not_see(block_graph: Data) -> None:
    auto = Embedder("grace", form="auto", **SMALL).fit(block_graph)
    form = auto.settings_.embedding.form
    assert form in AUTO_FORMS
    named = Embedder("grace", form=form, **SMALL).fit(block_graph)
    np.testing.assert_array_equal(auto.transform(block_graph), named.transform(block_graph))
    assert auto.get_params()["form"] == "auto"
