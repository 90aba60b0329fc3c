"""The search: what it looks at, that it goes on, and what it leaves behind."""

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.advice import tune
from homogcl.advice.tune import CRITERIA, SPACE, Range, Search, Trial, best, search, toml
from homogcl.core.errors import UserError
from homogcl.methods.registry import method_names
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import LARGE_NODES
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.training.loop import NotFinite

QUICK: dict[str, object] = {"epochs": 2, "hidden_dim": 8, "out_dim": 4, "num_clusters": 3}


def searching(
    graph: Data,
    method: str = "grace+homogcl",
    criterion: str = "val",
    overrides: Mapping[str, object] = QUICK,
) -> Search:
    """A search on a graph in memory."""
    run = Run.of(method, resolve(method, "my-graph", overrides), graph)
    return Search(replace(run, name="my-graph", overrides=overrides), criterion)


def sized(nodes: int) -> Data:
    """A graph without edges."""
    return Data(x=torch.eye(nodes, 4), edge_index=torch.empty(2, 0, dtype=torch.int64))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_test_labels_change_nothing(criterion: str, block_graph: Data, tmp_path: Path) -> None:
    scrambled = block_graph.clone()
    rng = torch.Generator().manual_seed(0)
    count = int(block_graph.test_mask.sum())
    scrambled.y[block_graph.test_mask] = torch.randint(3, (count,), generator=rng)
    assert not torch.equal(scrambled.y, block_graph.y)
    first = search(searching(block_graph, criterion=criterion), 3, tmp_path / "one")
    second = search(searching(scrambled, criterion=criterion), 3, tmp_path / "two")
    assert first == second


def test_validation_labels_change_the_score(block_graph: Data, tmp_path: Path) -> None:
    other = block_graph.clone()
    other.y[block_graph.val_mask] = (block_graph.y[block_graph.val_mask] + 1) % 3
    scores = [
        [trial.score for trial in search(searching(graph), 2, tmp_path / name)]
        for name, graph in (("one", block_graph), ("two", other))
    ]
    assert scores[0] != scores[1]


def test_no_label_is_needed_without_labels(block_graph: Data, tmp_path: Path) -> None:
    bare = Data(x=block_graph.x, edge_index=block_graph.edge_index)
    quick = {"epochs": 2, "hidden_dim": 8, "out_dim": 4}
    [trial] = search(searching(bare, "bgrl", "label-free", quick), 1, tmp_path)
    assert trial.score is not None
    assert 0 <= trial.score <= 1
    with pytest.raises(UserError, match="label-free"):
        search(searching(bare), 1, tmp_path)


def test_the_first_trial_is_the_preset(block_graph: Data, tmp_path: Path) -> None:
    [trial] = search(searching(block_graph), 1, tmp_path)
    preset = resolve("grace+homogcl", "my-graph", QUICK).flat()
    assert trial.settings == {key: preset[key] for key in trial.settings}
    assert {"temperature", "learning_rate", "two_sigma_sq"} <= set(trial.settings)
    assert not set(trial.settings) & set(QUICK)


def test_a_search_starts_from_the_settings_that_a_training_has(tmp_path: Path) -> None:
    edges = "".join(f"{node},{node + 1}\n" for node in range(LARGE_NODES + 1))
    path = tmp_path / "chain.csv"
    path.write_text(f"source,target\n{edges}")
    start = Request("grace", str(path)).resolve()
    assert start.settings.method["negatives"] == "sampled"
    run = Search(start).with_settings({"temperature": 0.123})
    values = {**start.settings.flat(), "temperature": 0.123}
    assert run.settings.flat() == values
    assert run.graph is start.graph


def test_it_goes_on_where_it_was(block_graph: Data, tmp_path: Path) -> None:
    ran: list[Trial] = []
    first = search(searching(block_graph), 2, tmp_path, ran.append)
    more = search(searching(block_graph), 3, tmp_path, ran.append)
    assert more[:2] == first
    assert [trial.number for trial in ran] == [0, 1, 2]
    search(searching(block_graph), 3, tmp_path, ran.append)
    assert len(ran) == 3


def test_an_interrupted_trial_is_run_again(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(start: Run) -> tune.Score:
        def score(run: Run) -> float:
            raise KeyboardInterrupt

        return score

    with monkeypatch.context() as patch:
        patch.setitem(CRITERIA, "val", interrupted)
        with pytest.raises(KeyboardInterrupt):
            search(searching(block_graph), 1, tmp_path)
    assert len(search(searching(block_graph), 1, tmp_path)) == 1


def test_a_training_that_breaks_down_is_a_trial_without_a_score(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sometimes(start: Run) -> tune.Score:
        def score(run: Run) -> float:
            if run.settings.train.learning_rate == 1e-3:  # the preset's
                raise NotFinite("not finite")
            return 0.5

        return score

    monkeypatch.setitem(CRITERIA, "val", sometimes)
    trials = search(searching(block_graph), 2, tmp_path)
    assert [trial.score for trial in trials] == [None, 0.5]
    assert best(trials).number == 1


def test_the_best_settings_are_a_preset_section(block_graph: Data, tmp_path: Path) -> None:
    trials = search(searching(block_graph), 3, tmp_path)
    section = tomllib.loads((tmp_path / "best.toml").read_text())["default"]
    source = section.pop("source")
    assert "best of 3 trials" in source
    assert section == {**QUICK, **best(trials).settings}
    assert (
        resolve("grace+homogcl", "my-graph", section).flat() | section
        == resolve("grace+homogcl", "my-graph", section).flat()
    )


def test_the_best_is_the_highest_and_earliest() -> None:
    trials = [Trial(0, {}, 0.2), Trial(1, {}, None), Trial(2, {}, 0.7), Trial(3, {}, 0.7)]
    assert best(trials).number == 2
    assert "0.7000" in toml(searching(sized(3)), trials)
    with pytest.raises(UserError, match="no trial"):
        best([Trial(0, {}, None)])


@pytest.mark.parametrize("name", method_names())
def test_every_value_of_the_space_is_one_that_the_method_takes(name: str) -> None:
    space = searching(sized(1000), name, overrides={}).space()
    assert space
    for end in ("low", "high"):
        values = {key: getattr(each, end) for key, each in space.items()}
        settings = resolve(name, "my-graph", values)
        assert {key: settings.flat()[key] for key in values} == values


def test_clusters_are_no_more_than_nodes() -> None:
    assert searching(sized(12), overrides={}).space()["num_clusters"] == Range(5, 12, whole=True)


def test_space_holds_no_setting_that_no_method_has() -> None:
    settings = {key for name in method_names() for key in resolve(name, "").flat()}
    settings |= set(resolve("grace+homogcl", "").flat())
    assert set(SPACE) <= settings


@pytest.mark.parametrize(
    ("method", "criterion", "message"),
    [("raw", "val", "trains nothing"), ("grace", "test", "criterion")],
)
def test_mistakes_are_named(
    method: str, criterion: str, message: str, block_graph: Data, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        search(searching(block_graph, method, criterion, {}), 1, tmp_path)


def test_missing_optuna_is_one_line(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UserError, match=r"homogcl\[tune\]"):
        search(searching(block_graph), 1, tmp_path)
