"""The commands that list and show, as a user meets them."""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from homogcl.advice import estimate as estimates
from homogcl.advice.estimate import Estimate
from homogcl.core.extensions import third_party
from homogcl.methods import registry
from homogcl.runs import tasks
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
    assert "preset large: physics has no preset of its own and more than 5,000 nodes" in homogcl(
        "show", "grace", "physics"
    )
    assert "preset large" not in homogcl("show", "grace", "cora")
    assert json.loads(homogcl("show", "grace", "physics", "--json"))["negatives"] == "sampled"
    costed = homogcl("show", "bgrl", "demo", "--cost")
    assert "training takes about 2 minutes and 2.0 GB" in costed
    assert json.loads(homogcl("show", "bgrl", "demo", "--cost", "--json"))["bytes"] == 2 * 10**9


@pytest.fixture
def broken_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package, as pip would install it, none of whose entries is what it says."""
    package = tmp_path / "half_done-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: half-done\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[homogcl.methods]\ngone = half_done_missing:Gone\nnumber = half_done:NUMBER\n"
        "[homogcl.plugins]\nsoft = half_done:soft\n"
        "[homogcl.datasets]\nmygraph = half_done:NUMBER\n"
        "[homogcl.tasks]\nmytask = half_done_missing:TASK\n"
    )
    (tmp_path / "half_done.py").write_text("NUMBER = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    third_party.cache_clear()
    yield
    third_party.cache_clear()


@pytest.mark.usefixtures("broken_package")
def test_broken_methods_of_others_are_named_and_break_nothing_else(homogcl: Shell) -> None:
    listed = {row["name"]: row for row in json.loads(homogcl("list", "methods", "--json"))}
    assert listed["gone"]["what"] == (
        "broken: method 'gone' of half-done fails to load: "
        "ModuleNotFoundError: No module named 'half_done_missing'"
    )
    assert "'number' of half-done is no method: half_done:NUMBER is 3" in listed["number"]["what"]
    assert listed["grace"]["what"].startswith("Deep graph contrastive")
    homogcl("list", "presets")
    assert "mygraph" in homogcl("list", "datasets")
    assert "'gone' of half-done fails to load" in homogcl.refuses("show", "gone", "cora")
    assert "'soft' of half-done" in homogcl.refuses("show", "grace+soft", "cora")
    assert "'mygraph' of half-done is no data set" in homogcl.refuses("inspect", "mygraph")


@pytest.mark.usefixtures("broken_package")
def test_doctor_names_what_is_broken_and_is_ready(homogcl: Shell) -> None:
    lines = homogcl("doctor").splitlines()
    for name in ("gone", "number", "soft", "mygraph", "mytask"):
        (line,) = [line for line in lines if line.startswith(f"- {name}: ")]
        assert line.endswith("-> update or uninstall half-done")
    assert lines[-1] == "ready"
    assert tasks.tasks_in(["nmi"]) == ["cluster"]
    assert "soft" not in registry.plugins_of(registry.method_class("grace"))
