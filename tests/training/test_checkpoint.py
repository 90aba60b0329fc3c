from __future__ import annotations

import hashlib
import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.methods.base import Method, Sizes
from homogcl.methods.registry import build
from homogcl.training.checkpoint import Checkpoints, State, parse_intervals
from homogcl.training.loop import Epoch, TrainConfig, fit
from tests.graphs import same
from tests.toys import Toy

NAMES = ["toy", "grace", "grace+homogcl"]
FINGERPRINT = {"settings": "a"}
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
    checkpoints = Checkpoints(tmp_path, FINGERPRINT, every=3)
    train_until(5, name, block_graph, checkpoints)
    method, numbers = resumed(name, block_graph, checkpoints)
    assert numbers == [4, 5, 6, 7, 8]
    assert same(method.state_dict(), whole.state_dict())


def test_checkpoints_themselves_change_no_bit(block_graph: Data, tmp_path: Path) -> None:
    whole = fit(new("grace", block_graph), block_graph, CONFIG, seed=5)
    method, numbers = resumed("grace", block_graph, Checkpoints(tmp_path, FINGERPRINT, every=1))
    assert numbers == list(range(1, 9))
    assert same(method.state_dict(), whole.state_dict())


def test_finished_training_has_nothing_left_to_do(block_graph: Data, tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, FINGERPRINT, every=3)
    first, _ = resumed("grace", block_graph, checkpoints)
    again, numbers = resumed("grace", block_graph, checkpoints)
    assert numbers == []
    assert same(first.state_dict(), again.state_dict())


def test_newest_two_are_kept_and_the_last_epoch_is_saved(block_graph: Data, tmp_path: Path) -> None:
    resumed("toy", block_graph, Checkpoints(tmp_path, FINGERPRINT, every=3))
    epochs = sorted(path.name.split("-")[1] for path in tmp_path.iterdir())
    assert epochs == ["00000006", "00000008"]


def test_time_is_a_reason_to_save_too(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 40))  # seconds: 40 more at each look
    monkeypatch.setattr("homogcl.training.checkpoint.time.monotonic", lambda: next(clock))
    saved: list[int] = []
    save = Checkpoints.save

    def watch(checkpoints: Checkpoints, state: State, epoch: int) -> None:
        saved.append(epoch)
        save(checkpoints, state, epoch)

    monkeypatch.setattr(Checkpoints, "save", watch)
    # Looks: at the start (0), after each epoch, and after each save.
    resumed("toy", block_graph, Checkpoints(tmp_path, FINGERPRINT, every=1000, minutes=1.5))
    assert saved == [3, 6, 8]


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        ("20", {"every": 20}),
        ("0.5m", {"minutes": 0.5}),
        ("7, 3m", {"every": 7, "minutes": 3.0}),
    ],
)
def test_intervals_are_read(text: str, intervals: dict[str, float]) -> None:
    assert parse_intervals(text) == intervals


@pytest.mark.parametrize("text", ["", "m", "0", "-1", "0m", "nanm", "infm", "5s", "1.5", "5,,6"])
def test_intervals_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="--save-every"):
        parse_intervals(text)


@pytest.mark.parametrize("damage", ["flipped", "cut", "emptied"])
def test_damaged_newest_falls_back_to_the_one_before(
    block_graph: Data, tmp_path: Path, damage: str
) -> None:
    whole = fit(new("grace", block_graph), block_graph, CONFIG, seed=5)
    checkpoints = Checkpoints(tmp_path, FINGERPRINT, every=2)
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
    with pytest.warns(UserWarning, match=f"{newest} is damaged"):
        method, numbers = resumed("grace", block_graph, checkpoints)
    assert numbers == [5, 6, 7, 8]
    assert same(method.state_dict(), whole.state_dict())


def test_training_starts_anew_where_every_checkpoint_is_damaged(
    block_graph: Data, tmp_path: Path
) -> None:
    checkpoints = Checkpoints(tmp_path, FINGERPRINT, every=2)
    train_until(5, "toy", block_graph, checkpoints)
    for path in tmp_path.iterdir():
        path.write_bytes(b"nothing of use")
    with pytest.warns(UserWarning, match="is damaged"):
        _, numbers = resumed("toy", block_graph, checkpoints)
    assert numbers == list(range(1, 9))


WRITTEN = {"settings": "a" * 64, "data": "b" * 64, "homogcl": "0.1.0", "torch": "2.6.0"}


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"settings": "c" * 64}, "other settings;"),
        ({"data": "c" * 64}, "other data;"),
        ({"homogcl": "0.2.0"}, r"other homogcl \(0.1.0, now 0.2.0\);"),
        ({"torch": "2.13.0", "data": "c" * 64}, r"other data, torch \(2.6.0, now 2.13.0\);"),
    ],
)
def test_checkpoint_of_another_training_is_refused_and_says_what_differs(
    block_graph: Data, tmp_path: Path, now: dict[str, str], said: str
) -> None:
    checkpoints = Checkpoints(tmp_path, WRITTEN, every=2)
    train_until(3, "toy", block_graph, checkpoints)
    [file] = tmp_path.iterdir()
    method = new("toy", block_graph)
    other = replace(checkpoints, fingerprint=WRITTEN | now)
    with pytest.raises(UserError, match=f"{file} was written with {said}"):
        fit(method, block_graph, CONFIG, seed=5, checkpoints=other)
    assert same(method.state_dict(), new("toy", block_graph).state_dict())
    assert file.exists()


def test_other_files_of_the_folder_are_neither_read_nor_removed(
    block_graph: Data, tmp_path: Path
) -> None:
    others = [tmp_path / "epoch-99.pt", tmp_path / "notes.txt", tmp_path / ".epoch-1.pt.tmp"]
    for other in others:
        other.write_text("mine")
    resumed("toy", block_graph, Checkpoints(tmp_path, FINGERPRINT, every=1))
    assert all(other.read_text() == "mine" for other in others)


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_failed_save_leaves_the_checkpoints_before_and_no_partial_file(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    checkpoints = Checkpoints(tmp_path, FINGERPRINT, every=2)
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
    trace = tmp_path / "made"
    buffer = io.BytesIO()
    torch.save({"epoch": 2, "fingerprint": Payload(trace)}, buffer)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()[:16]
    (tmp_path / f"epoch-00000002-{digest}.pt").write_bytes(content)
    with pytest.raises(UserError, match="holds no checkpoint of this training"):
        resumed("toy", block_graph, Checkpoints(tmp_path, FINGERPRINT))
    assert not trace.exists()
