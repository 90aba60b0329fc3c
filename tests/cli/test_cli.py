"""The command line as a user meets it: every command once, and every mistake in one line."""

import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from homogcl.runs.log import Log
from homogcl.training.loop import Epoch
from tests.shell import Shell

FAST = ("--set", "epochs=2", "--set", "hidden_dim=16", "--set", "out_dim=8")


def test_train_evaluate_embed(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace+homogcl", "demo", "--out", "run", *FAST)
    run = tmp_path / "run"
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2]
    assert {"loss", "contrast", "homophily", "seconds"} <= set(lines[0])

    scored = json.loads(homogcl("evaluate", "run", "--task", "probe", "--json"))
    assert scored["task"] == "probe"
    assert 0.2 < scored["test_accuracy"] <= 1
    assert {"nmi", "ari"} <= set(
        json.loads(homogcl("evaluate", "run", "--task", "cluster", "--json"))
    )
    assert {"raw_nmi", "raw_ari"} <= set(
        json.loads(homogcl("evaluate", "run", "--task", "cluster-raw", "--json"))
    )

    homogcl("embed", "run", "-o", "z.npy")
    z = np.load(tmp_path / "z.npy", allow_pickle=False)
    assert np.array_equal(z, np.load(run / "embeddings.npy", allow_pickle=False))
    assert (tmp_path / "z.ids.txt").read_text().split() == [str(i) for i in range(len(z))]
    homogcl("embed", "run", "-o", "z.csv")
    assert len((tmp_path / "z.csv").read_text().splitlines()) == len(z) + 1


def test_resume_ends_in_the_same_bits(homogcl: Shell, tmp_path: Path) -> None:
    more = ("--set", "epochs=4", *FAST[2:])
    homogcl("train", "grace", "demo", "--out", "whole", *more)
    homogcl("train", "grace", "demo", "--out", "whole", "--resume", *more)
    first = (tmp_path / "whole" / "embeddings.npy").read_bytes()
    homogcl("train", "grace", "demo", "--out", "again", *more)
    assert (tmp_path / "again" / "embeddings.npy").read_bytes() == first


def test_resume_goes_on_where_a_run_was_interrupted(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ("--set", "epochs=6", *FAST[2:])
    homogcl("train", "grace+homogcl", "demo", "--out", "whole", *more)
    step = Log.__call__

    def interrupted(log: Log, epoch: Epoch) -> None:
        step(log, epoch)
        if epoch.number == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Log, "__call__", interrupted)
    often = ("--save-every", "2")
    homogcl("train", "grace+homogcl", "demo", "--out", "broken", *more, *often, code=130)
    monkeypatch.setattr(Log, "__call__", step)
    newest = max(path.name for path in (tmp_path / "broken" / "checkpoint").iterdir())
    assert newest.startswith("epoch-00000004-")
    homogcl("train", "grace+homogcl", "demo", "--out", "broken", "--resume", *more)
    for name in ("model.safetensors", "embeddings.npy"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    logged = [json.loads(x) for x in (tmp_path / "broken" / "metrics.jsonl").open()]
    whole = [json.loads(x) for x in (tmp_path / "whole" / "metrics.jsonl").open()]
    assert [line["epoch"] for line in logged] == [1, 2, 3, 4, 5, 6]
    assert [line["loss"] for line in logged] == [line["loss"] for line in whole]


def test_resume_with_other_settings_is_refused(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    config = (tmp_path / "run" / "config.json").read_bytes()
    other = ("--set", "temperature=0.7", "--resume")
    assert "another run" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST, *other)
    assert (tmp_path / "run" / "config.json").read_bytes() == config


def test_run_skips_finished_cells(homogcl: Shell, tmp_path: Path) -> None:
    grid = ("run", "grace", "--data", "demo", "--seeds", 2, "--task", "probe", *FAST)
    homogcl(*grid, "--milestones", "1")
    written = sorted(tmp_path.glob("results/demo/grace/*.json"))
    assert len(written) == 2
    before = [path.stat().st_mtime_ns for path in written]
    homogcl(*grid)
    assert "done before" in homogcl.err
    assert [path.stat().st_mtime_ns for path in written] == before
    record = json.loads(written[0].read_text())
    assert set(record["milestones"]) == {"1"}
    assert record["resolved"]["train"]["epochs"] == 2


@pytest.mark.parametrize("what", ["methods", "datasets", "presets"])
def test_list(homogcl: Shell, what: str) -> None:
    listed = json.loads(homogcl("list", what, "--json"))
    assert listed
    text = homogcl("list", what)
    assert str(next(iter(listed[0].values()))) in text


def test_show_says_where_settings_come_from(homogcl: Shell) -> None:
    assert json.loads(homogcl("show", "grace+homogcl", "cora", "--json"))["num_clusters"] == 10
    assert "source: " in homogcl("show", "grace", "cora", "--preset", "official")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "gracee", "demo"), "did you mean: grace"),
        (("train", "grace+homgcl", "demo"), "did you mean: homogcl"),
        (("train", "grace", "coraa"), "cora"),
        (("train", "raw+homogcl", "demo"), "Raw features has no pair positives"),
        (("train", "grace", "demo", "--set", "temprature=1"), "did you mean: temperature"),
        (("train", "grace", "demo", "--set", "epochs=-3"), "epochs=-3"),
        (("train", "grace", "demo", "--set", "epochs"), "key=value"),
        (("train", "grace", "demo", "--preset", "nope"), "demo/nope"),
        (("evaluate", "nowhere"), "nowhere"),
        (("embed", "nowhere", "-o", "z.npy"), "nowhere"),
        (("table", "fundation"), "did you mean"),
        (("run", "grace", "--data", "demo", "--milestones", "ten"), "ten"),
    ],
)
def test_mistakes_are_one_line(
    homogcl: Shell, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in homogcl.refuses(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_left_alone(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert "--resume" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST)
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == before


def test_missing_data_names_the_file(homogcl: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    assert "ind.cora" in homogcl.refuses("train", "grace", "cora", "--root", "empty")


def test_damaged_weights_are_named(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    weights = tmp_path / "run" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-40])
    assert "model.safetensors" in homogcl.refuses("evaluate", "run")


def test_embedding_an_unknown_ending_is_refused(homogcl: Shell) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    assert ".xlsx" in homogcl.refuses("embed", "run", "-o", "z.xlsx")


class Attack:
    """A pickle that would make a file if anything ran it."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.witness}",)


def raw_photo(root: Path) -> Path:
    """Where the raw file of Photo belongs below `root`."""
    path = root / "amazon" / "Photo" / "raw" / "amazon_electronics_photo.npz"
    path.parent.mkdir(parents=True)
    return path


def test_a_malicious_pickle_is_refused_and_never_run(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    folder = tmp_path / "data" / "planetoid" / "Cora" / "raw"
    folder.mkdir(parents=True)
    for part in ("x", "tx", "allx", "y", "ty", "ally", "graph"):
        (folder / f"ind.cora.{part}").write_bytes(pickle.dumps(Attack(tmp_path / "witness")))
    (folder / "ind.cora.test.index").write_text("0\n")
    line = homogcl.refuses("train", "grace", "cora", "--root", "data", "--out", "run")
    assert "ind.cora." in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_truncated_npz_is_named(homogcl: Shell, tmp_path: Path) -> None:
    path = raw_photo(tmp_path / "data")
    np.savez(path, adj_data=np.ones(1000))
    path.write_bytes(path.read_bytes()[:500])
    line = homogcl.refuses("train", "grace", "photo", "--root", "data", "--out", "run")
    assert "amazon_electronics_photo.npz" in line
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data"]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"attr_data": np.array([1.0, np.nan, 1.0])}, "nan"),
        ({"adj_indices": np.array([1, 7, 1])}, "indices must be < 3"),
    ],
)
def test_bad_values_in_a_file_are_named(
    homogcl: Shell, tmp_path: Path, damage: dict[str, npt.NDArray[np.generic]], said: str
) -> None:
    content = {
        "adj_data": np.ones(3),
        "adj_indices": np.array([1, 2, 1]),
        "adj_indptr": np.array([0, 1, 2, 3]),
        "adj_shape": np.array([3, 3]),
        "attr_data": np.ones(3),
        "attr_indices": np.array([0, 1, 0]),
        "attr_indptr": np.array([0, 1, 2, 3]),
        "attr_shape": np.array([3, 2]),
        "labels": np.array([0, 1, 0]),
    }
    arrays = content | damage
    np.savez(raw_photo(tmp_path / "data"), **arrays)
    line = homogcl.refuses("train", "grace", "photo", "--root", "data", "--out", "run")
    assert said in line.lower()
    assert "amazon_electronics_photo.npz" in line or "photo" in line
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data"]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("--set", "negatives=sampled", "--set", "num_negatives=2501"), "num_negatives=2501"),
        (("--set", "num_clusters=2501"), "num_clusters=2501"),
        (("--batch", "parts:0"), "batch_size=0"),
        (("--batch", "parts:many"), "KIND:SIZE"),
        (("--batch", "thirds"), "batch='thirds'"),
        (("--batch", "parts:9"), "num_clusters=10 is more than the 8 nodes"),
        (("--nproc", "0"), "--nproc 0"),
        (("--nproc", "2501"), "2501 processes are more than the 2500 nodes"),
    ],
)
def test_settings_of_no_use_are_refused_before_anything_is_written(
    homogcl: Shell, tmp_path: Path, given: tuple[str, ...], names: str
) -> None:
    line = homogcl.refuses("train", "grace+homogcl", "demo", "--out", "run", *FAST, *given)
    assert names in line
    assert list(tmp_path.iterdir()) == []


def test_world_without_a_launcher_is_refused(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert "torchrun" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST)
    assert list(tmp_path.iterdir()) == []


def test_method_that_needs_the_whole_graph_refuses_batches(homogcl: Shell, tmp_path: Path) -> None:
    line = homogcl.refuses("train", "gca", "demo", "--out", "run", *FAST, "--batch", "parts")
    assert "GCA sees the whole graph" in line
    assert list(tmp_path.iterdir()) == []


def test_train_on_batches(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace+homogcl", "demo", "--out", "run", *FAST, "--batch", "neighbors:1024")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["settings"]["train"]["batch"] == "neighbors"
    assert config["settings"]["train"]["batch_size"] == 1024
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 2
    assert len(np.load(tmp_path / "run" / "embeddings.npy")) == 2500


# Ends the second process, the first time it is started, once there is a checkpoint.
MORTAL = """
import os, pathlib, signal, threading, time
def end():
    while not list(pathlib.Path("run/checkpoint").glob("epoch-*.pt")):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
if (os.environ.get("RANK"), os.environ.get("TORCHELASTIC_RESTART_COUNT")) == ("1", "0"):
    threading.Thread(target=end, daemon=True).start()
"""


def test_process_that_was_killed_is_started_again_to_the_same_result(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled = ("--set", "negatives=sampled", "--set", "num_negatives=32", "--set", "epochs=60")
    command = ("train", "grace", "demo", *FAST, *sampled)
    homogcl(*command, "--out", "whole")
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(MORTAL)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, sys.path)]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    homogcl(*command, "--out", "run", "--nproc", 2, "--max-restarts", 1)
    run, whole = tmp_path / "run", tmp_path / "whole"
    logged = [json.loads(x)["epoch"] for x in (run / "metrics.jsonl").open()]
    assert logged == list(range(1, 61))
    # Sampled negatives have no pairs to split, so that two processes do what one does.
    assert (run / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
