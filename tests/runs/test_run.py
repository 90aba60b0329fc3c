"""A run as a value: the settings and the path that its record is found by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from torch_geometric.data import Data

from homogcl.presets.resolve import resolve
from homogcl.runs.record import settings_sha256
from homogcl.runs.request import Request
from homogcl.runs.run import Run

ROOT = Path(__file__).parents[2]


def test_a_record_is_known_by_what_is_not_the_default() -> None:
    run = Request("grace+homogcl", "cora", 0, {"epochs": 3}).resolve()
    recorded, resolved = run.recorded_settings, run.resolved_settings
    assert set(recorded) == set(resolved) == {"method", "train", "data", "probe"}
    for part, values in recorded.items():
        every = resolved[part]
        assert isinstance(values, dict)
        assert isinstance(every, dict)
        assert values.items() <= every.items()
    assert isinstance(resolved["method"], dict)
    assert set(resolved["method"]) == set(run.settings.method)
    assert recorded["probe"] == {}


def test_the_path_has_data_method_settings_and_seed(tmp_path: Path) -> None:
    run = Request("grace", "cora", 7).resolve()
    name = f"{settings_sha256(run.recorded_settings)[:10]}-s7.json"
    assert run.record_path(tmp_path) == tmp_path / "cora" / "grace" / name
    other = replace(run, settings=resolve("grace", "cora", {"temperature": 0.123}))
    assert other.record_path(tmp_path) != run.record_path(tmp_path)


@pytest.mark.parametrize("method", ["grace", "grace+homogcl", "bgrl"])
def test_records_that_are_here_are_found(method: str) -> None:
    assert Request(method, "cora").resolve().record_path(ROOT / "results" / "presets").is_file()


def test_the_fingerprint_changes_with_each_thing_that_a_checkpoint_depends_on(
    block_graph: Data,
) -> None:
    block_graph.sha256 = "a" * 64
    run = Run.of("grace", resolve("grace", ""), block_graph)
    other = block_graph.clone()
    other.sha256 = "b" * 64
    changes = {
        "seed": replace(run, seed=1),
        "settings": replace(run, settings=resolve("grace", "", {"epochs": 1})),
        "data": run.on(other),
    }
    for name, changed in changes.items():
        before, after = run.fingerprint(), changed.fingerprint()
        assert [key for key in before if before[key] != after[key]] == [name]
    assert {"torch", "homogcl", "python"} <= set(run.fingerprint())


def test_a_run_on_another_graph_is_otherwise_the_same(block_graph: Data) -> None:
    run = Request("grace", "demo", 2, tasks=("knn",)).resolve()
    other = run.on(block_graph)
    assert other.graph is block_graph
    assert other == run  # the graph is no part of what a run is known by
