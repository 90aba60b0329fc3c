from __future__ import annotations

import hashlib
import io
import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.checkpoint import Checkpoints
from homogcl.errors import UserError
from homogcl.methods import build
from homogcl.methods.base import Method, Sizes
from homogcl.train import Epoch, TrainConfig, fit
from tests.graphs import same
from tests.toys import Toy

NAMES = ["toy", "grace", "grace+homogcl"]
CONFIG = TrainConfig(epochs=8, learning_rate=0.01, schedule="cosine")


class Interrupted(Exception):
    """The training was cut off."""


def new(name: str, graph: Data) -> Method:
    if name == "toy":
        return Toy(Sizes.of(graph))
    settings = {"hidden_dim": 8, "out_dim": 4, "projector_dim": 4, "norm": "batch"}
    return build(name, settings, Sizes.of(graph), seed=0)


def train_until(number: int, name: str, graph: Data, checkpoints: Checkpoints) -> None:
    def watch(epoch: Epoch) -> None:
        if epoch.number == number:
            raise Interrupted

    with pytest.raises(Interrupted):
        fit(new(name, graph), graph, CONFIG, seed=5, checkpoints=checkpoints, on_epoch=watch)


def resumed(name: str, graph: Data, checkpoints: Checkpoints) -> tuple[Method, list[int]]:
    """The finished method and the numbers of the epochs that were still to do."""
    numbers: list[int] = []
    method = fit(
        new(name, graph),
        graph,
        CONFIG,
        seed=5,
        checkpoints=checkpoints,
        on_epoch=lambda epoch: numbers.append(epoch.number),
    )
    return method, numbers


@pytest.mark.parametrize("name", NAMES)
def test_resumed_training_ends_at_the_same_bits(
    name: str, block_graph: Data, tmp_path: Path
) -> None:
    whole = fit(new(name, block_graph), block_graph, CONFIG, seed=5)
    checkpoints = Checkpoints(tmp_path, "a", every=3)
    train_until(5, name, block_graph, checkpoints)
    method, numbers = resumed(name, block_graph, checkpoints)
    assert numbers == [4, 5, 6, 7, 8]
    assert same(method.state_dict(), whole.state_dict())


def test_checkpoints_themselves_change_no_bit(block_graph: Data, tmp_path: Path) -> None:
    whole = fit(new("grace", block_graph), block_graph, CONFIG, seed=5)
    method, numbers = resumed("grace", block_graph, Checkpoints(tmp_path, "a", every=1))
    assert numbers == list(range(1, 9))
    assert same(method.state_dict(), whole.state_dict())


def test_finished_training_has_nothing_left_to_do(block_graph: Data, tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, "a", every=3)
    first, _ = resumed("grace", block_graph, checkpoints)
    again, numbers = resumed("grace", block_graph, checkpoints)
    assert numbers == []
    assert same(first.state_dict(), again.state_dict())


def test_newest_two_are_kept_and_the_last_epoch_is_saved(block_graph: Data, tmp_path: Path) -> None:
    resumed("toy", block_graph, Checkpoints(tmp_path, "a", every=3))
    epochs = sorted(path.name.split("-")[1] for path in tmp_path.iterdir())
    assert epochs == ["00000006", "00000008"]


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied"])
def test_damaged_newest_falls_back_to_the_one_before(
    block_graph: Data, tmp_path: Path, damage: str
) -> None:
    whole = fit(new("grace", block_graph), block_graph, CONFIG, seed=5)
    checkpoints = Checkpoints(tmp_path, "a", every=2)
    train_until(7, "grace", block_graph, checkpoints)
    newest = max(tmp_path.iterdir())
    content = newest.read_bytes()
    middle = len(content) // 2
    newest.write_bytes(
        {
            "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "cut": content[:middle],
            "emptied": b"",
        }[damage]
    )
    method, numbers = resumed("grace", block_graph, checkpoints)
    assert numbers == [5, 6, 7, 8]
    assert same(method.state_dict(), whole.state_dict())


def test_training_starts_anew_where_every_checkpoint_is_damaged(
    block_graph: Data, tmp_path: Path
) -> None:
    checkpoints = Checkpoints(tmp_path, "a", every=2)
    train_until(5, "toy", block_graph, checkpoints)
    for path in tmp_path.iterdir():
        path.write_bytes(b"nothing of use")
    _, numbers = resumed("toy", block_graph, checkpoints)
    assert numbers == list(range(1, 9))


def test_checkpoint_of_other_settings_is_refused_by_its_name(
    block_graph: Data, tmp_path: Path
) -> None:
    checkpoints = Checkpoints(tmp_path, "a", every=2)
    train_until(3, "toy", block_graph, checkpoints)
    [file] = tmp_path.iterdir()
    method = new("toy", block_graph)
    with pytest.raises(UserError, match=f"{file} is of other settings or data"):
        fit(method, block_graph, CONFIG, seed=5, checkpoints=replace(checkpoints, fingerprint="b"))
    assert same(method.state_dict(), new("toy", block_graph).state_dict())
    assert file.exists()


def test_other_files_of_the_folder_are_neither_read_nor_removed(
    block_graph: Data, tmp_path: Path
) -> None:
    others = [tmp_path / "epoch-99.pt", tmp_path / "notes.txt", tmp_path / ".epoch-1.pt.tmp"]
    for other in others:
        other.write_text("mine")
    resumed("toy", block_graph, Checkpoints(tmp_path, "a", every=1))
    assert all(other.read_text() == "mine" for other in others)


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_failed_save_leaves_the_checkpoints_before_and_no_partial_file(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    checkpoints = Checkpoints(tmp_path, "a", every=2)
    train_until(5, "toy", block_graph, checkpoints)
    before = sorted(tmp_path.iterdir())

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, broken, fail)
        with pytest.raises(UserError, match="No space left"):
            resumed("toy", block_graph, checkpoints)
    assert sorted(tmp_path.iterdir()) == before
    _, numbers = resumed("toy", block_graph, checkpoints)
    assert numbers == [5, 6, 7, 8]


class Payload:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return os.mkdir, (self.folder,)


def test_checkpoint_cannot_run_code(block_graph: Data, tmp_path: Path) -> None:
    made = tmp_path / "made"
    buffer = io.BytesIO()
    torch.save({"epoch": 2, "fingerprint": Payload(made)}, buffer)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()[:16]
    (tmp_path / f"epoch-00000002-{digest}.pt").write_bytes(content)
    with pytest.raises(pickle.UnpicklingError):
        resumed("toy", block_graph, Checkpoints(tmp_path, "a"))
    assert not made.exists()
