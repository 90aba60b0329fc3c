"""From a request to a run: settings by name, by size and by what the files have."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UnknownName
from homogcl.data.load import citation_graph
from homogcl.presets import resolve as presets
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import LARGE_NODES
from homogcl.runs import request as requests
from homogcl.runs.request import Request


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """The arguments of each loading of a graph, in place of which there is a small one."""
    calls: list[dict[str, object]] = []

    def load(data: str, root: object, **arguments: object) -> Data:
        calls.append({"data": data, **arguments})
        nodes = LARGE_NODES + 1 if data == "./large" else 20
        return Data(x=torch.ones(nodes, 2), edge_index=torch.tensor([[0, 1], [1, 0]]))

    monkeypatch.setattr(requests, "load", load)
    return calls


def test_a_run_has_everything_that_was_asked_for(loads: list[dict[str, object]]) -> None:
    request = Request("grace", "cora", 3, {"epochs": 2}, "official", (1,), ("probe",))
    run = request.resolve()
    assert (run.method, run.seed, run.name, run.data) == ("grace", 3, "cora", "cora")
    assert (run.tasks, run.milestones) == (("probe",), (1,))
    assert run.settings == resolve("grace", "cora", {"epochs": 2}, "official")
    assert run.settings.preset == "official"
    assert run.title == "grace on cora"
    assert loads == []


def test_the_graph_is_loaded_once_and_as_the_settings_say(loads: list[dict[str, object]]) -> None:
    run = Request("grace", "cora", 3, {"features": "raw", "split": "random"}).resolve()
    assert run.graph is run.graph
    [asked] = loads
    assert asked.pop("recipe") is None
    assert asked == {"data": "cora", "features": "raw", "split": "random", "seed": 3, "files": {}}


@pytest.mark.parametrize(
    ("method", "data", "preset", "loaded"),
    [
        ("grace", "physics", "large", 0),  # published: its size is known
        ("grace", "./large", "large", 1),
        ("grace", "./small", None, 1),
        ("grace", "cora", None, 0),  # it has a preset of its own
        ("bgrl", "./large", None, 0),  # no preset depends on the size
    ],
)
def test_size_chooses_the_preset_of_graphs_that_none_names(
    method: str, data: str, preset: str | None, loaded: int, loads: list[dict[str, object]]
) -> None:
    run = Request(method, data).resolve()
    assert run.settings.preset == preset
    assert len(loads) == loaded
    assert run.graph is not None
    assert len(loads) == 1


def test_a_grid_goes_by_the_name_and_a_choice_prevails(loads: list[dict[str, object]]) -> None:
    run = Request("grace", "./large").resolve(by_size=False)
    assert run.settings == resolve("grace", "") == Request("grace", "./large").settings()
    assert loads == []
    chosen = Request("grace", "cora", preset="large").resolve()
    assert chosen.settings.method["negatives"] == "sampled"


def test_settings_are_resolved_once(
    monkeypatch: pytest.MonkeyPatch, loads: list[dict[str, object]]
) -> None:
    calls = []

    def counted(*arguments: object) -> presets.Settings:
        calls.append(arguments)
        return resolve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(requests, "resolve", counted)
    run = Request("grace+homogcl", "cora").resolve()
    assert run.recorded_settings != run.resolved_settings
    assert run.graph is not None
    assert len(calls) == 1


def test_mistakes_are_found_before_anything_is_loaded(loads: list[dict[str, object]]) -> None:
    with pytest.raises(UnknownName, match="did you mean: cora"):
        Request("grace", "coraa").resolve()
    with pytest.raises(UnknownName, match="did you mean: grace"):
        Request("gracee", "cora").resolve()
    assert loads == []


def test_the_generated_graph_is_the_loaded_one() -> None:
    graph = Request("raw", "demo").resolve().graph
    assert torch.equal(graph.edge_index, citation_graph().edge_index)


def test_other_features_have_a_name_a_scaling_and_a_place_of_their_own(tmp_path: Path) -> None:
    first, second = tmp_path / "titles.npy", tmp_path / "more" / "titles.npy"
    second.parent.mkdir()
    for path, value in ((first, 1.0), (second, 2.0)):
        np.save(path, np.full((2708, 2), value))
    usual = Request("grace", "cora", overrides={"epochs": 2})
    runs = [replace(usual, files={"features": str(path)}).resolve() for path in (first, second)]
    assert [run.name for run in runs] == ["cora+titles", "cora+titles"]
    assert [run.settings.data.features for run in runs] == ["auto", "auto"]
    places = {run.record_path(tmp_path) for run in (usual.resolve(), *runs)}
    assert len(places) == 3
    # The method is set as on the data set itself.
    assert runs[0].settings.method == usual.resolve().settings.method
    digest = hashlib.sha256(first.read_bytes()).hexdigest()
    for settings in (runs[0].recorded_settings, runs[0].resolved_settings):
        assert isinstance(settings["data"], dict)
        assert settings["data"]["features_sha256"] == digest
    moved = tmp_path / "moved" / "titles.npy"
    moved.parent.mkdir()
    first.rename(moved)
    again = replace(usual, files={"features": str(moved)}).resolve()
    assert again.record_path(tmp_path) in places


def test_a_record_is_of_the_features_that_were_there_before_the_training(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.ones((2708, 2)))
    run = Request("grace", "cora", files={"features": str(path)}).resolve()
    before, digest = run.record_path(tmp_path), hashlib.sha256(path.read_bytes()).hexdigest()
    path.unlink()
    assert run.record_path(tmp_path) == before
    assert isinstance(run.resolved_settings["data"], dict)
    assert run.resolved_settings["data"]["features_sha256"] == digest


def test_a_scaling_asked_for_holds_for_other_features(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2708, 2)))
    request = Request(
        "grace", "cora", 0, {"features": "raw"}, files={"features": tmp_path / "x.npy"}
    )
    assert request.settings().data.features == "raw"
