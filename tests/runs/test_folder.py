"""The run folder: what it holds, what it gives back, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.runs.embedder import Embedder
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.train import train_run

SMALL: dict[str, object] = {"epochs": 2, "hidden_dim": 8, "out_dim": 4}
FILES = {"config.json", "model.safetensors", "embeddings.npy", "metrics.jsonl", "ids.json"}


@pytest.fixture
def request_of_ring(tmp_path: Path) -> Request:
    """A ring of twelve nodes in files, with features."""
    ring = "".join(f"n{i},n{(i + 1) % 12}\nn{i},n{(i + 5) % 12}\n" for i in range(12))
    (tmp_path / "edges.csv").write_text("a,b\n" + ring)
    rows = "".join(f"n{i},{i % 3 + 1},{i % 5}\n" for i in range(12))
    (tmp_path / "nodes.csv").write_text("id,u,v\n" + rows)
    files = {"nodes": "nodes.csv", "features": ["u", "v"]}
    return Request("grace", str(tmp_path / "edges.csv"), 3, SMALL, files=files)


@pytest.fixture
def folder(tmp_path: Path, request_of_ring: Request) -> RunFolder:
    train_run(request_of_ring.resolve(), tmp_path / "run")
    return RunFolder(tmp_path / "run")


def test_it_holds_what_it_says(folder: RunFolder) -> None:
    assert {path.name for path in folder.path.iterdir()} - {".lock"} == {*FILES, "checkpoint"}
    model = folder.model()
    assert (model.name, model.seed) == ("grace", 3)
    assert (model.sizes.nodes, model.sizes.features) == (12, 2)
    assert model.graph.feature_names == ("u", "v")
    assert model.loss_curve == folder.curves()["loss"]
    assert folder.ids()[:2] == ["n0", "n1"]
    assert folder.settings()["train"]["epochs"] == 2


def test_the_request_and_its_graph_come_back(folder: RunFolder, request_of_ring: Request) -> None:
    request = folder.request()
    assert request == replace(request_of_ring, data=str(Path(request_of_ring.data).resolve()))
    run = folder.run(request)
    z = folder.model().embed(run.graph).numpy()
    np.testing.assert_array_equal(z, folder.embeddings())
    assert run.settings.train.epochs == 2


def test_an_embedder_opens_the_folder_and_its_model_alike(folder: RunFolder) -> None:
    graph = folder.run(folder.request()).graph
    one, two = Embedder.load(folder.path), Embedder.load(folder.path / "model.safetensors")
    assert one.get_params() == two.get_params()
    vectors = [each.transform(graph) for each in (one, two)]
    np.testing.assert_array_equal(vectors[0], vectors[1])
    again = Embedder.load(one.save(folder.path / "copy"))
    assert (folder.path / "copy").read_bytes() == (folder.path / "model.safetensors").read_bytes()
    np.testing.assert_array_equal(again.transform(graph), vectors[0])


def test_all_settings_make_the_same_method_again(tmp_path: Path) -> None:
    request = Request("grace", "demo", 1, {**SMALL, "temperature": 0.3})
    train_run(request.resolve(), tmp_path / "run")
    embedder = Embedder.load(tmp_path / "run")
    assert embedder.get_params()["temperature"] == 0.3
    assert embedder.settings_.flat() == request.resolve().settings.flat()


def test_the_same_run_may_begin_again_only_to_be_resumed(
    folder: RunFolder, request_of_ring: Request
) -> None:
    before = (folder.path / "config.json").read_bytes()
    folder.begin(request_of_ring.resolve(), resume=True)
    with pytest.raises(UserError, match="give --resume"):
        folder.begin(request_of_ring.resolve(), resume=False)
    other = replace(request_of_ring, overrides={**SMALL, "temperature": 0.9})
    with pytest.raises(UserError, match=r"other .*temperature"):
        folder.begin(other.resolve(), resume=True)
    assert (folder.path / "config.json").read_bytes() == before


def test_a_graph_that_changed_or_is_gone_is_named(folder: RunFolder, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text(nodes.read_text().replace("n0,1,0", "n0,2,0"))
    with pytest.raises(UserError, match=r"nodes\.csv is not what the run .* was trained on"):
        folder.run(folder.request())
    (tmp_path / "edges.csv").unlink()
    with pytest.raises(UserError, match="is gone; say with --data"):
        folder.run(folder.request())


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "embeddings.npy", "ids.json"])
def test_a_missing_file_is_named(name: str, folder: RunFolder) -> None:
    (folder.path / name).unlink()
    readers: dict[str, Callable[[], object]] = {
        "config.json": folder.request,
        "model.safetensors": folder.model,
        "embeddings.npy": folder.embeddings,
        "ids.json": folder.ids,
    }
    with pytest.raises(UserError, match=f"is no finished run: {name} is missing"):
        readers[name]()


@pytest.mark.parametrize(
    ("content", "says"),
    [("{", "is not valid JSON"), ("[1]", "is not of a run"), ('{"method": 1}', "method: ")],
)
def test_a_damaged_configuration_is_named(content: str, says: str, folder: RunFolder) -> None:
    (folder.path / "config.json").write_text(content)
    with pytest.raises(UserError, match=rf"config\.json.*{says}"):
        folder.request()


def test_embeddings_are_finite_vectors(folder: RunFolder) -> None:
    for array in (np.ones(3), np.full((2, 2), np.nan), np.ones((2, 2), dtype=int)):
        np.save(folder.path / "embeddings.npy", array)
        with pytest.raises(UserError, match="does not hold a finite vector"):
            folder.embeddings()


def test_the_configuration_holds_what_a_run_is_made_of(folder: RunFolder) -> None:
    config = json.loads((folder.path / "config.json").read_text())
    asked = {"method", "data", "seed", "overrides", "preset", "settings"}
    assert set(config) == asked | {"files", "files_sha256", "data_sha256"}
    assert set(config["files_sha256"]) == {"edges.csv", "nodes.csv"}
