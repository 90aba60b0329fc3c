"""Every table and figure by name: drawn from records alone, refused where one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.data.catalog import own_path
from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphTraining
from reproduction.catalog import FIGURES, STUDY, artifacts_called
from reproduction.figures.runs import SEEDS
from reproduction.layout_training import LayoutTraining
from reproduction.vision.image_training import ImageTraining
from tests.figure_records import keep_all
from tests.shell import Shell

TRAINED = [name for name in FIGURES if name != "pipeline"]


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", FIGURES)
def test_the_same_records_give_the_same_bytes(name: str, quick: bool, tmp_path: Path) -> None:
    keep_all(name, tmp_path / "results", quick)
    first, again = (
        FIGURES[name].write(tmp_path / "results", tmp_path / out, quick) for out in ("one", "two")
    )
    assert [path.name for path in first] == [f"{name}.png", f"{name}.svg"]
    for path, other in zip(first, again, strict=True):
        assert path.read_bytes() == other.read_bytes()
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in first[1].read_bytes()
    assert b"<dc:date>" not in first[1].read_bytes()


@pytest.mark.parametrize("name", TRAINED)
def test_other_records_give_another_picture(name: str, tmp_path: Path) -> None:
    keep_all(name, tmp_path / "results", quick=True)
    before = FIGURES[name].write(tmp_path / "results", tmp_path / "one", True)
    keep_all(name, tmp_path / "results", quick=True, level=0.4)
    after = FIGURES[name].write(tmp_path / "results", tmp_path / "two", True)
    assert before[0].read_bytes() != after[0].read_bytes()


@pytest.mark.parametrize("name", TRAINED)
def test_a_missing_record_is_refused_with_the_command_that_makes_it(
    name: str, reproduce: Shell, tmp_path: Path
) -> None:
    results = tmp_path / "out" / "results"
    last = keep_all(name, results, quick=True)[-1]
    last.path(results).unlink()
    for options, command in ((("--quick",), f"{name} --quick"), ((), name)):
        reproduce(name, "--no-train", "--out", "out", *options, code=2)
        line = reproduce.err.splitlines()[0]
        assert line.startswith(f"failed: {name}: ")
        assert line.endswith(f"run `python -m reproduction {command}`")
        assert (last.label in line) == bool(options)
    assert not (tmp_path / "out" / f"{name}.png").exists()


@pytest.mark.parametrize("name", TRAINED)
def test_full_and_quick_trainings_never_share_a_record(name: str, tmp_path: Path) -> None:
    for quick in (True, False):
        for training in FIGURES[name].trainings(quick):
            assert isinstance(training, GraphTraining | ImageTraining | LayoutTraining)
            assert training.path(tmp_path).is_relative_to(tmp_path / "quick") == quick
            if not isinstance(training, ImageTraining):
                assert (training.spec.name == "demo") == quick


def test_records_of_presets_are_those_of_the_presets_settings() -> None:
    """A changed setting would make a training that the tables' grid never has."""
    shared = 0
    for figure in FIGURES.values():
        for training in figure.trainings(False):
            if isinstance(training, GraphTraining) and training.folder == "presets":
                shared += 1
                plain = resolve(training.spec.method, training.spec.data)
                assert training.spec.settings() == plain
    assert shared >= 3 * SEEDS


# What differs in these are settings of the plug-in, or how much of the graph a step sees.
_OTHER_CHANGES = ("levers", "batches", "refresh")


@pytest.mark.parametrize("name", [name for name in STUDY if not name.startswith(_OTHER_CHANGES)])
def test_a_run_and_its_base_differ_in_the_plug_in_alone(name: str) -> None:
    result = [
        training for training in STUDY[name].trainings(False) if isinstance(training, GraphTraining)
    ]
    places = {training.path(Path("results")) for training in result}
    assert len(places) == len(result)
    assert all(own_path(training.spec.data) is None for training in result)
    settled = [(training.spec, training.spec.settings()) for training in result]
    for spec, settings in settled:
        place = (spec.method.partition("+")[0], spec.data, spec.seed)
        alone = [of for each, of in settled if (each.method, each.data, each.seed) == place]
        same = [
            each
            for each in alone
            if each.method.items() <= settings.method.items()
            and each.embedding == settings.embedding
        ]
        assert [each.train for each in same] == [settings.train]
        assert [each.data for each in same] == [settings.data]


def test_groups_are_of_their_own() -> None:
    assert artifacts_called(["study"]) == list(STUDY.values())
    assert not {each.name for each in artifacts_called(["all"])} & {*STUDY}
    names = [each.name for each in artifacts_called(["levers-bgrl", "study", "statistics"])]
    assert names == [
        "levers-bgrl",
        *(name for name in STUDY if name != "levers-bgrl"),
        "statistics",
    ]
