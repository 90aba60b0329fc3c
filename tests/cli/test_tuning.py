"""The command that searches settings, as a user meets it."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.shell import Shell


def test_tune_prints_trials_and_what_to_train_with(homogcl: Shell, tmp_path: Path) -> None:
    quick = ("--set", "epochs=1", "--set", "hidden_dim=8", "--set", "out_dim=4")
    search = ("tune", "bgrl", "demo", "--criterion", "label-free", "--out", "search", *quick)
    result = json.loads(homogcl(*search, "--trials", "1", "--json"))
    assert len(result["trials"]) == 1
    text = homogcl(*search, "--trials", "2")
    assert "best: homogcl train bgrl demo --preset search/best.toml" in text
    assert homogcl.err.splitlines() == [homogcl.err.strip()]  # the first trial is not run again
    best = tomllib.loads((tmp_path / "search" / "best.toml").read_text("utf-8"))["default"]
    assert {key: best[key] for key in ("epochs", "hidden_dim", "out_dim")} == {
        "epochs": 1,
        "hidden_dim": 8,
        "out_dim": 4,
    }


@pytest.mark.usefixtures("papers")
def test_what_was_tuned_on_an_own_graph_is_trained_with_all_its_settings(
    homogcl: Shell, tmp_path: Path
) -> None:
    quick = ("--epochs", "1", "--hidden-dim", "8", "--out-dim", "4", "--form", "layers")
    search = ("tune", "grace", "papers", "--criterion", "label-free", "--out", "search", *quick)
    result = json.loads(homogcl(*search, "--trials", "2", "--json"))
    homogcl("train", "grace", "papers", "--preset", "search/best.toml", "--out", "run")
    written = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
    expected = {"epochs": 1, "hidden_dim": 8, "out_dim": 4, "form": "layers"}
    assert written["overrides"] == {**expected, **result["best"]["settings"]}
    (tmp_path / "search" / "best.toml").unlink()
    homogcl("evaluate", "run", "--task", "unlabeled")  # the run needs the file no more
