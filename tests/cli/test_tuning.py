"""The command that searches settings, as a user meets it."""

import json
from pathlib import Path

from tests.shell import Shell


def test_tune_prints_trials_and_what_to_train_with(homogcl: Shell, tmp_path: Path) -> None:
    quick = ("--set", "epochs=1", "--set", "hidden_dim=8", "--set", "out_dim=4")
    search = ("tune", "bgrl", "demo", "--criterion", "label-free", "--out", "search", *quick)
    result = json.loads(homogcl(*search, "--trials", "1", "--json"))
    assert len(result["trials"]) == 1
    text = homogcl(*search, "--trials", "2")
    assert "best: homogcl train bgrl demo --set " in text
    assert homogcl.err.splitlines() == [homogcl.err.strip()]  # the first trial is not run again
    assert (tmp_path / "search" / "best.toml").exists()
