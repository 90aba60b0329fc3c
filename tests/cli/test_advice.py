"""The commands that advise, as a user meets them."""

import json
from pathlib import Path

import pytest

from homogcl.advice import doctor as examination
from homogcl.advice import neighborhoods
from homogcl.advice.doctor import Finding
from homogcl.advice.neighborhoods import ProbeTrial
from homogcl.data.load import citation_graph
from tests.shell import FAST, Shell


def test_doctor_says_ready(homogcl: Shell, tmp_path: Path) -> None:
    text = homogcl("doctor", "--root", tmp_path)
    assert text.splitlines()[-1] == "ready"
    assert "torch " in text
    assert "downloaded when first used: cora, citeseer" in " ".join(text.split())
    assert len(text.splitlines()) < 36  # one screen
    report = json.loads(homogcl("doctor", "--json", "--root", tmp_path))
    assert report["ready"] is True
    areas = {finding["area"] for finding in report["findings"]} - {"other packages"}
    assert areas == {"packages", "machine", "extras", "data", "self-test"}


def test_doctor_ends_with_1_when_something_needed_is_missing(
    homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Finding("self-test", "training step", "no kernel", ok=False, advice="reinstall torch")
    monkeypatch.setattr(examination, "self_test", lambda: broken)
    text = homogcl("doctor", code=1)
    assert "! training step: no kernel -> reinstall torch" in text
    assert json.loads(homogcl("doctor", "--json", code=1))["ready"] is False


def test_inspect_reports_and_finds_no_fault(homogcl: Shell) -> None:
    report = json.loads(homogcl("inspect", "demo", "--json"))
    assert report["nodes"] == 2500
    assert report["homophily"] == pytest.approx(0.8, abs=1e-3)
    assert report["warnings"] == []
    assert report["likeness"]["share"] > 0.75
    assert report["trial"]["accuracies"]["homogcl"] > report["trial"]["accuracies"]["raw"]
    text = homogcl("inspect", "demo")
    assert "no reason to doubt" in text
    assert "edges held out: their ends are more alike" in text
    assert "try `homogcl` first" in text
    assert {*report["training_seconds"]} == {"grace", "bgrl", "ccassg"}
    assert min(report["training_seconds"].values()) > 0
    assert "training ccassg takes about " in text


@pytest.mark.parametrize("simplest", [0.7, 0.8])
def test_inspect_says_where_averages_over_neighborhoods_are_enough(
    simplest: float, homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    probes = ProbeTrial(200, {"raw": 0.5, "propagation": simplest, "homogcl": 0.75})
    monkeypatch.setattr(neighborhoods, "trial", lambda graph, seed: probes)
    monkeypatch.setattr(neighborhoods, "likeness", lambda graph, seed: None)
    said = "`propagation` is likely to be enough" in homogcl("inspect", "demo")
    assert said is probes.simplest_is_enough is (simplest > 0.75)


def test_inspect_of_nothing_is_one_line(homogcl: Shell) -> None:
    assert "unknown data set" in homogcl.refuses("inspect", "coraa")


def test_inspect_without_labels_says_what_it_knows_and_no_more(
    homogcl: Shell, tmp_path: Path
) -> None:
    graph = citation_graph(400, 3, 60, homophily=0.9)
    pairs = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].t().tolist()
    lines = ["source,target", *(f"{a},{b}" for a, b in pairs)]
    (tmp_path / "edges.csv").write_text("\n".join(lines) + "\n")
    x = graph.x.to_dense().int().tolist()
    nodes = [",".join(["id", *(f"w{c}" for c in range(60))])]
    nodes += [",".join([str(i), *map(str, row)]) for i, row in enumerate(x)]
    (tmp_path / "nodes.csv").write_text("\n".join(nodes) + "\n")
    text = homogcl("inspect", "edges.csv", "--nodes", "nodes.csv")
    assert "without labels nothing tells whether another is better" in text
    assert "whether they are of one class, only labels can tell" in text
    assert "no reason to doubt" not in text


def test_train_repeats_the_warning_in_one_line(homogcl: Shell) -> None:
    homogcl("train", "grace", "demo-h10", "--out", "run", *FAST)
    assert homogcl.err.count("warning: neighbors share a class") == 1
