"""Settings as options, and answers to options that there are not."""

import json
from pathlib import Path

import pytest

from homogcl.cli.settings import FREQUENT
from homogcl.presets.catalog import catalog
from tests.imports import loaded_by
from tests.shell import Shell


def test_frequent_settings_are_settings() -> None:
    shipped = catalog()
    names = {*shipped.training, *shipped.plugins["homogcl"], *shipped.methods["grace"].settings}
    assert set(FREQUENT) <= names


def test_options_are_settings_by_another_name(homogcl: Shell, tmp_path: Path) -> None:
    options = ("--epochs", "1", "--hidden-dim", "8", "--out-dim", "4", "--learning-rate", "0.01")
    homogcl("train", "grace", "demo", "--out", "run", *options, "--set", "epochs=1")
    written = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
    expected = {"epochs": 1, "hidden_dim": 8, "out_dim": 4, "learning_rate": 0.01}
    assert written["overrides"] == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "grace", "demo", "--epoch", "3"), "no option --epoch (did you mean: --epochs?)"),
        (("run", "grace", "--temprature", "1"), "(did you mean: --temperature?)"),
        (("train", "bgrl", "x", "--momentum", "1"), "(did you mean: --set momentum=...?)"),
        (("tune", "grace+homogcl", "x", "--two-sigma", "1"), "--set two_sigma_sq=...?)"),
        (("train", "grace", "demo", "--directed"), "edges are taken both ways"),
        (("train", "grace", "demo", "--lr", "1"), "it is called --learning-rate"),
        (("embed", "run", "--outptu", "z.npy"), "(did you mean: --output?)"),
        (("train", "grace", "demo", "--xyz"), "--help lists all options"),
        (
            ("train", "grace", "demo", "--epochs", "3", "--set", "epochs=4"),
            "--epochs 3 contradicts",
        ),
        (("train", "bgrl", "demo", "--temperature", "1"), "bgrl has no setting 'temperature'"),
    ],
)
def test_an_unknown_option_is_answered_in_one_line(
    homogcl: Shell, arguments: tuple[str, ...], said: str
) -> None:
    assert said in homogcl.refuses(*arguments)


def test_other_mistakes_keep_the_usage(homogcl: Shell) -> None:
    homogcl("train", "grace", code=2)
    assert "Usage" in homogcl.err


def test_the_version_is_said(homogcl: Shell) -> None:
    import homogcl as package

    assert homogcl("--version") == f"homogcl {package.__version__}\n"


def test_options_load_nothing_heavy() -> None:
    heavy = {"torch", "torch_geometric", "pydantic", "sklearn", "scipy", "numpy"}
    assert loaded_by("homogcl.cli.settings") & heavy == set()
