"""The one file of a trained model: it comes back whole, and everything else is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Sizes
from homogcl.presets.resolve import resolve
from homogcl.runs.compatibility import TrainingGraph
from homogcl.runs.model import KEY, TrainedModel
from homogcl.runs.run import Run
from homogcl.runs.train import fit_run


@pytest.fixture
def model(block_graph: Data) -> TrainedModel:
    settings = resolve("vgae", "", {"epochs": 2, "hidden_dim": 8, "out_dim": 4})
    method = fit_run(Run.of("vgae", settings, block_graph, 5)).method
    return TrainedModel(
        "vgae",
        5,
        settings,
        ("epochs", "hidden_dim"),
        Sizes.of(block_graph),
        TrainingGraph.of(block_graph),
        method.eval(),
        [2.5, 1.25],
    )


def changed(path: Path, **values: Any) -> Path:
    """Write the file again with other values in its header."""
    with safe_open(path, framework="pt") as file:
        header = json.loads(file.metadata()[KEY])
        state = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    save_file(state, path, {KEY: json.dumps({**header, **values})})
    return path


def test_a_model_comes_back_whole(model: TrainedModel, block_graph: Data, tmp_path: Path) -> None:
    again = TrainedModel.load(model.save(tmp_path / "m"))
    for name in ("name", "seed", "overrides", "sizes", "graph", "loss_curve"):
        assert getattr(again, name) == getattr(model, name)
    assert again.settings.flat() == model.settings.flat()
    assert again.parameters == {"epochs": 2, "hidden_dim": 8}
    assert not again.method.training
    assert torch.equal(again.embed(block_graph), model.embed(block_graph))


def test_the_same_model_is_the_same_bytes(model: TrainedModel, tmp_path: Path) -> None:
    first, second = (model.save(tmp_path / name).read_bytes() for name in "ab")
    assert first == second
    again = TrainedModel.load(tmp_path / "a").save(tmp_path / "c")
    assert again.read_bytes() == first


def test_another_graph_is_refused_where_it_cannot_be_embedded(model: TrainedModel) -> None:
    other = Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0], [1]]))
    with pytest.raises(UserError, match="has 2 features, but 16 were learned from"):
        model.embed(other)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"format": 2}, "it has the format 2, not 3"),
        ({"format": "3"}, "format"),
        ({"method": "gracee"}, "unknown method 'gracee'"),
        ({"method": 3}, "method: "),
        ({"seed": -1}, "seed: "),
        ({"sizes": {"nodes": "many"}}, "sizes.nodes: "),
        ({"graph": None}, "graph: "),
        ({"settings": {"hidden_dim": "wide"}}, "hidden_dim"),
        ({"settings": {"hidden_dim": 9}}, "size mismatch|Error"),
        ({"overrides": ["method"]}, "vgae has no setting 'method'"),
        ({"loss_curve": "low"}, "loss_curve: "),
    ],
)
def test_a_header_of_anything_else_is_refused_in_one_line(
    values: dict[str, Any], says: str, model: TrainedModel, tmp_path: Path
) -> None:
    path = changed(model.save(tmp_path / "m"), **values)
    with pytest.raises(UserError, match=says) as caught:
        TrainedModel.load(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: holds no trained model: ")
    assert "\n" not in line


def test_files_that_hold_no_model_are_refused(model: TrainedModel, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        TrainedModel.load(tmp_path / "none")
    (tmp_path / "text").write_text("hello")
    save_file({"w": torch.zeros(2)}, tmp_path / "weights")
    save_file({"w": torch.zeros(2)}, tmp_path / "list", {KEY: "[1, 2]"})
    save_file({"w": torch.zeros(2)}, tmp_path / "deep", {KEY: "[" * 10**5})
    content = model.save(tmp_path / "cut").read_bytes()
    (tmp_path / "cut").write_bytes(content[:-40])
    for name in ("text", "weights", "list", "deep", "cut"):
        with pytest.raises(UserError, match=f"{name}: holds no trained model"):
            TrainedModel.load(tmp_path / name)
