"""Training of a run: built and checked once, in memory or into a folder, as the command does."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch_geometric.data import Data

from homogcl.core.distributed import Ranks
from homogcl.core.errors import UserError
from homogcl.core.signals import Interrupted
from homogcl.data.mapped import write_mapped
from homogcl.data.mapped_share import write_share
from homogcl.data.shared_rows import Share
from homogcl.evaluate.tasks import Task
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Sizes, build
from homogcl.presets.resolve import resolve
from homogcl.runs import train
from homogcl.runs.embedder import Embedder
from homogcl.runs.folder import RunFolder
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.train import check_alike, fit_run, new_method, train_run
from homogcl.training.loop import Epoch, fit
from tests.processes import run_ranks
from tests.shell import Shell

SMALL: dict[str, object] = {"epochs": 4, "hidden_dim": 8, "out_dim": 4}
REQUEST = Request("grace", "demo", 0, SMALL)


def test_it_is_what_build_and_fit_give(block_graph: Data) -> None:
    settings = resolve("grace+homogcl", "", {**SMALL, "num_clusters": 3})
    numbers: list[int] = []
    run = Run.of("grace+homogcl", settings, block_graph, 3)
    trained = fit_run(run, on_epoch=lambda epoch: numbers.append(epoch.number))
    method = build("grace+homogcl", settings.method, Sizes.of(block_graph), 3)
    fit(method, block_graph, settings.train, seed=3)
    z = embeddings(trained.method, block_graph)
    assert torch.equal(z, embeddings(method, block_graph))
    assert numbers == [1, 2, 3, 4]
    assert trained.epochs == 4
    assert set(trained.terms) == {"contrast", "homophily"}


def test_milestones_are_scored_and_change_nothing(block_graph: Data) -> None:
    plain = Run.of("grace", resolve("grace", "", SMALL), block_graph)
    followed = replace(plain, milestones=(1, 3), tasks=("unlabeled",))
    one, two = fit_run(plain), fit_run(followed)
    assert one.milestones == {}
    assert set(two.milestones) == {"1", "3"}
    assert set(two.milestones["1"]) == {"modularity", "modular_clusters", "effective_rank"}
    same = [embeddings(each.method, block_graph) for each in (one, two)]
    assert torch.equal(*same)


def test_the_method_is_built_once_and_checked_before_the_folder_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("build", "check_fits"):
        original = getattr(train, name)

        def counted(*arguments: object, name: str = name, original: object = original) -> object:
            assert not (tmp_path / "run").exists()
            calls.append(name)
            return original(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(train, name, counted)
    train_run(REQUEST.resolve(), tmp_path / "run")
    assert calls == ["build", "check_fits"]


def test_a_task_can_refuse_a_method_before_it_is_trained(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(method: object) -> None:
        raise UserError("not this one")

    strict = Task("strict", "m", lambda inputs: {}, check=check)
    monkeypatch.setattr(train, "task", lambda name: strict)
    run = replace(Run.of("grace", resolve("grace", ""), block_graph), tasks=("strict",))
    with pytest.raises(UserError, match="not this one"):
        new_method(run)


def test_python_writes_what_the_command_writes(homogcl: Shell, tmp_path: Path) -> None:
    words = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    homogcl("train", "grace", "demo", "--out", "typed", *words)
    epochs: list[int] = []
    train_run(REQUEST.resolve(), "called", on_epoch=lambda epoch: epochs.append(epoch.number))
    assert epochs == [1, 2, 3, 4]
    for name in ("config.json", "model.safetensors", "embeddings.npy", "ids.json"):
        assert (tmp_path / "called" / name).read_bytes() == (tmp_path / "typed" / name).read_bytes()
    names = [sorted(path.name for path in Path(run).iterdir()) for run in ("called", "typed")]
    assert names[0] == names[1]


def test_it_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    run = REQUEST.resolve()
    train_run(run, tmp_path / "whole")

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_run(run, tmp_path / "part", on_epoch=interrupt, save_every={"every": 2})
    with pytest.raises(UserError, match="holds a run already"):
        train_run(run, tmp_path / "part")
    epochs: list[Epoch] = []
    train_run(run, tmp_path / "part", resume=True, on_epoch=epochs.append)
    assert [epoch.number for epoch in epochs] == [3, 4]
    for name in ("model.safetensors", "embeddings.npy"):
        whole, part = (tmp_path / folder / name for folder in ("whole", "part"))
        assert whole.read_bytes() == part.read_bytes()
    assert len(Embedder.load(tmp_path / "part").loss_curve_) == 4


def test_what_cannot_be_trained_leaves_no_folder(tmp_path: Path, block_graph: Data) -> None:
    bad = Request("grace+homogcl", "demo", 0, {**SMALL, "num_clusters": 2501})
    with pytest.raises(UserError, match="num_clusters=2501"):
        train_run(bad.resolve(), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    in_memory = Run.of("grace", resolve("grace", "", SMALL), block_graph)
    with pytest.raises(UserError, match="a graph in memory has no name"):
        train_run(in_memory, tmp_path / "run")


def test_more_processes_than_nodes_are_refused(block_graph: Data) -> None:
    run = Run.of("grace", resolve("grace", "", SMALL), block_graph)
    with pytest.raises(UserError, match="61 processes are more than the 60 nodes"):
        new_method(run, Ranks(0, 61))


@pytest.mark.parametrize("differs", ["", "data", "seed"])
def test_processes_with_other_graphs_or_settings_are_refused(
    differs: str, block_graph: Data, tmp_path: Path
) -> None:
    def work(ranks: Ranks) -> str:
        is_other = not ranks.is_first
        graph = block_graph.clone()
        graph.sha256 = "other" if is_other and differs == "data" else "same"
        run = Run.of("grace", resolve("grace", ""), graph)
        run = replace(run, seed=int(is_other and differs == "seed"))
        try:
            check_alike(run, ranks)
        except UserError as error:
            return str(error)
        return ""

    said = run_ranks(3, work, tmp_path)
    first = f"process 1 has other {differs} than process 0: all hosts need the same graph"
    assert all(line.startswith(first) if differs else line == "" for line in said), said
    assert len(said) == 3


@pytest.mark.parametrize("name", ["grace+homogcl", "homogcl"])
def test_a_run_on_shares_is_that_on_copies(name: str, block_graph: Data, tmp_path: Path) -> None:
    whole = write_mapped(block_graph, tmp_path / "whole")
    shares = [Share(number=number, count=2) for number in (1, 2)]
    for share in shares:
        write_share(whole, tmp_path / f"share-{share.number}", share)
    steps = {"epochs": 2, "hidden_dim": 8} if name != "homogcl" else {}
    settings = {"batch": "parts", "batch_size": 10, "out_dim": 4, **steps}

    def work(ranks: Ranks, *, is_cut: bool) -> None:
        place = {"MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
        os.environ.update({"WORLD_SIZE": "2", "RANK": str(ranks.rank), **place})
        graph = tmp_path / f"share-{ranks.rank + 1}" if is_cut else whole
        run = Request(name, str(graph), overrides=settings).resolve()
        train_run(run, tmp_path / f"run-{is_cut}", ranks=ranks)

    def train(*, is_cut: bool) -> RunFolder:
        assert run_ranks(2, partial(work, is_cut=is_cut), tmp_path) == [None, None]
        return RunFolder(tmp_path / f"run-{is_cut}")

    first, second = train(is_cut=False), train(is_cut=True)
    np.testing.assert_allclose(second.embeddings(), first.embeddings(), rtol=1e-5, atol=1e-6)
    assert second.settings() == first.settings()
    _, of_copy = second.vectors(None, str(whole), {})
    np.testing.assert_allclose(of_copy, second.embeddings(), rtol=1e-5, atol=1e-6)
    if steps:
        assert second.curves() == first.curves()


def test_curves_are_followed_in_tensorboard(tmp_path: Path) -> None:
    train_run(REQUEST.resolve(), tmp_path / "run", tensorboard=tmp_path / "curves")
    read = EventAccumulator(str(tmp_path / "curves")).Reload()
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").open()]
    written = [event.value for event in read.Scalars("loss")]
    np.testing.assert_allclose(written, [line["loss"] for line in lines], rtol=1e-6)


def test_a_signal_ends_it_after_a_checkpoint(tmp_path: Path) -> None:
    def stop(epoch: Epoch) -> None:
        if epoch.number == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    folder = RunFolder(tmp_path / "run")
    with pytest.raises(Interrupted):
        train_run(REQUEST.resolve(), folder, on_epoch=stop)
    assert [path.name[:14] for path in folder.checkpoints.iterdir()] == ["epoch-00000002"]


def test_a_finished_run_goes_on_to_more_epochs_as_a_longer_one_would(tmp_path: Path) -> None:
    short, longer = (replace(REQUEST, overrides={**SMALL, "epochs": n}) for n in (2, 5))
    train_run(short.resolve(), tmp_path / "run")
    epochs: list[int] = []
    train_run(
        longer.resolve(),
        tmp_path / "run",
        resume=True,
        on_epoch=lambda epoch: epochs.append(epoch.number),
    )
    assert epochs == [3, 4, 5]
    train_run(longer.resolve(), tmp_path / "whole")
    for name in ("model.safetensors", "embeddings.npy"):
        run, whole = (tmp_path / folder / name for folder in ("run", "whole"))
        assert run.read_bytes() == whole.read_bytes()
    assert RunFolder(tmp_path / "run").shorter_lengths() == [2]
    with pytest.raises(UserError, match="it has other epochs"):
        train_run(short.resolve(), tmp_path / "run", resume=True)


def test_going_on_that_is_interrupted_can_go_on(tmp_path: Path) -> None:
    short, longer = (replace(REQUEST, overrides={**SMALL, "epochs": n}) for n in (2, 5))
    train_run(short.resolve(), tmp_path / "run")

    def interrupt(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_run(longer.resolve(), tmp_path / "run", resume=True, on_epoch=interrupt)
    assert train_run(longer.resolve(), tmp_path / "run", resume=True).epochs == 5


@pytest.mark.parametrize(
    ("method", "settings", "reason"),
    [
        ("grace", {"schedule": "cosine"}, "schedule=cosine has ended"),
        ("bgrl", {"schedule": "constant"}, "BGRL changes with the share of epochs done"),
    ],
)
def test_where_the_length_matters_a_warm_start_is_named(
    method: str, settings: dict[str, object], reason: str, tmp_path: Path
) -> None:
    small = {"hidden_dim": 8, "out_dim": 4, **settings}
    request = Request(method, "demo", overrides={**small, "epochs": 1})
    train_run(request.resolve(), tmp_path / "run")
    before = (tmp_path / "run" / "config.json").read_bytes()
    longer = replace(request, overrides={**small, "epochs": 2})
    with pytest.raises(UserError, match=f"no epochs after 1, since {reason}.*--warm-start"):
        train_run(longer.resolve(), tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "config.json").read_bytes() == before


def test_a_warm_start_begins_with_the_weights_of_a_run(tmp_path: Path) -> None:
    train_run(REQUEST.resolve(), tmp_path / "run")
    nothing = replace(REQUEST, overrides={**SMALL, "epochs": 0}, warm_start=tmp_path / "run")
    train_run(nothing.resolve(), tmp_path / "warm")
    before, after = (RunFolder(tmp_path / name).embeddings() for name in ("run", "warm"))
    np.testing.assert_array_equal(before, after)
    with pytest.raises(UserError, match=r"it is a run of .*, not of raw"):
        train_run(replace(nothing, method="raw", overrides={}).resolve(), tmp_path / "other")
    wide = replace(nothing, overrides={**SMALL, "hidden_dim": 64})
    with pytest.raises(UserError, match="its weights do not fit: size mismatch"):
        train_run(wide.resolve(), tmp_path / "other")
    assert not (tmp_path / "other").exists()
