"""The commands that list and show, as a user meets them."""

import json

import pytest

from homogcl.advice import estimate as estimates
from homogcl.advice.estimate import Estimate
from tests.shell import Shell


@pytest.mark.parametrize("what", ["methods", "datasets", "presets"])
def test_list(homogcl: Shell, what: str) -> None:
    listed = json.loads(homogcl("list", what, "--json"))
    assert listed
    text = homogcl("list", what)
    assert str(next(iter(listed[0].values()))) in text


def test_show_says_where_settings_come_from(homogcl: Shell) -> None:
    assert json.loads(homogcl("show", "grace+homogcl", "cora", "--json"))["num_clusters"] == 10
    assert "source: " in homogcl("show", "grace", "cora", "--preset", "official")


def test_show_says_which_rule_applied_and_what_training_takes(
    homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimates, "estimate", lambda *_: Estimate(120.0, 2 * 10**9))
    assert "preset large, since no preset knows physics" in homogcl("show", "grace", "physics")
    assert "preset large" not in homogcl("show", "grace", "cora")
    assert json.loads(homogcl("show", "grace", "physics", "--json"))["negatives"] == "sampled"
    costed = homogcl("show", "bgrl", "demo", "--cost")
    assert "training takes about 2 minutes and 2.0 GB" in costed
    assert json.loads(homogcl("show", "bgrl", "demo", "--cost", "--json"))["bytes"] == 2 * 10**9
