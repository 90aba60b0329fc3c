"""The command line as a whole: every mistake is one line, and nothing is left behind."""

import os
import pickle
import signal
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import typer

from homogcl import cli
from homogcl.core.errors import UserError
from homogcl.core.signals import Interrupted
from tests.shell import FAST, Shell


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
        (("run", "grace", "--data", "demo", "--milestones", "ten"), "ten"),
    ],
)
def test_mistakes_are_one_line(
    homogcl: Shell, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in homogcl.refuses(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_missing_data_names_the_file(homogcl: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    assert "ind.cora" in homogcl.refuses("train", "grace", "cora", "--root", "empty")


def test_damaged_weights_are_named(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    weights = tmp_path / "run" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-40])
    assert "model.safetensors" in homogcl.refuses("evaluate", "run")


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
    ("arguments", "said"),
    [
        (("train", "grace", "none.csv"), "none.csv: there is no such file"),
        (("train", "grace", "papers", "--source", "papr"), "did you mean: paper?"),
        (("train", "grace", "demo", "--label", "x"), "belongs to files of your own"),
        (("train", "grace", "papers", "--preset", "official"), "official"),
        (("neighbors", "nowhere", "a"), "nowhere"),
        (("saliency", "nowhere"), "nowhere"),
        (("saliency", "nowhere", "-o", "t.txt"), "t.txt: unknown ending"),
    ],
)
@pytest.mark.usefixtures("papers")
def test_mistakes_with_own_files_are_one_line(
    homogcl: Shell, arguments: tuple[str, ...], said: str
) -> None:
    assert said in homogcl.refuses(*arguments)
    assert [path.name for path in Path().iterdir()] == ["papers"]


def run_main(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `main` where the command ends with `error`."""

    def broken() -> None:
        """End with the error."""
        raise error

    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    application = typer.Typer(pretty_exceptions_enable=False)
    application.command()(broken)
    monkeypatch.setattr("sys.argv", ["homogcl"])
    cli.main(application)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UserError("no such thing"), 2, "no such thing"),
        (Interrupted(signal.SIGTERM, "came after epoch 7"), 143, "SIGTERM came after epoch 7"),
        (MemoryError(), 2, "out of memory"),
        (RuntimeError("can't allocate memory: you tried to allocate 8000000000 bytes"), 2, "8.00"),
    ],
)
def test_what_a_user_can_act_on_is_one_line_and_an_exit_code(
    error: BaseException,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        run_main(error, monkeypatch)
    printed = capsys.readouterr()
    assert left.value.code == code
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert line in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("error", [ValueError("a bug"), RuntimeError("shapes do not fit")])
def test_a_bug_keeps_its_traceback(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(type(error), match=str(error)):
        run_main(error, monkeypatch)


def test_a_warning_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit):
        run_main(UserError(""), monkeypatch)
    shown = warnings.formatwarning("a slow disk", UserWarning, "file.py", 3, "x = 1")
    assert shown == "warning: a slow disk\n"
