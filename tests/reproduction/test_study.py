"""The study beyond the paper: which trainings it is made of, and its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.data.load import own_path
from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphTraining
from reproduction.catalog import chosen
from reproduction.study import STUDY
from reproduction.study.levers import LEVERS, SEEDS, lever_trainings
from tests.shell import Shell

PICTURES = ("png", "svg")
TABLES = ("md", "tex", "csv")


def trainings(base: str) -> list[GraphTraining]:
    return [training for training in lever_trainings(base, quick=False) if isinstance(training, GraphTraining)]


@pytest.mark.parametrize("base", ["grace", "bgrl"])
def test_every_run_is_of_other_settings_and_moves_the_plug_in_alone(base: str) -> None:
    found = trainings(base)
    places = [training.path(Path("results")) for training in found]
    assert len(set(places)) == len(places)
    for training in found:
        alone, with_it = resolve(base, training.spec.data), training.spec.settings()
        assert with_it.train == alone.train
        assert with_it.data == alone.data
        assert alone.method.items() <= with_it.method.items()
        shipped = resolve(training.spec.method, training.spec.data)
        assert (with_it == shipped) == (training.folder == "presets")


def test_levers_that_change_nothing_are_not_run_twice() -> None:
    # On each graph: the base, the plug-in as shipped, and the levers but one that move it, since
    # the fixed width is shipped on GRACE and the clusters' own on BGRL; on CiteSeer 30 clusters
    # are shipped as well.
    expected = sum(n * (2 + len(LEVERS) - 1) for n in SEEDS.values()) - SEEDS["citeseer"]
    assert len(trainings("grace")) == len(trainings("bgrl")) == expected


@pytest.mark.parametrize("name", [name for name in STUDY if not name.startswith("levers")])
def test_a_run_and_its_base_differ_in_the_plug_in_alone(name: str) -> None:
    found = [training for training in STUDY[name].trainings(False) if isinstance(training, GraphTraining)]
    places = {training.path(Path("results")) for training in found}
    assert len(places) == len(found)
    assert all(own_path(training.spec.data) is None for training in found)
    settled = [(training.spec, training.spec.settings()) for training in found]
    for spec, settings in settled:
        place = (spec.method.partition("+")[0], spec.data, spec.seed)
        alone = [of for each, of in settled if (each.method, each.data, each.seed) == place]
        same = [each for each in alone if each.method.items() <= settings.method.items()]
        assert [each.train for each in same] == [settings.train]
        assert [each.data for each in same] == [settings.data]


def test_groups_are_of_their_own() -> None:
    assert chosen(["study"]) == list(STUDY.values())
    assert not {each.name for each in chosen(["all"])} & {*STUDY}
    names = [each.name for each in chosen(["levers-bgrl", "study", "statistics"])]
    assert names == [
        "levers-bgrl",
        *(name for name in STUDY if name != "levers-bgrl"),
        "statistics",
    ]


def test_the_quick_form_makes_tables_and_pictures(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("reproduce", "study", "--quick", "--out", "out")
    made = {path.name for path in (tmp_path / "out").iterdir() if path.is_file()}
    for name, endings in {
        "levers-grace": (*TABLES, *PICTURES),
        "levers-bgrl": (*TABLES, *PICTURES),
        "training": PICTURES,
        "generated": PICTURES,
        "encoders": (*TABLES, *PICTURES),
        "goals": TABLES,
        "goals-clustering": TABLES,
    }.items():
        assert {each for each in made if each.partition(".")[0] == name} == {
            f"{name}.{ending}" for ending in endings
        }
    lines = (tmp_path / "out" / "levers-bgrl.md").read_text("utf-8").splitlines()
    assert lines[2].endswith("| demo, validation | demo, test | demo, AUC of S |")
    labels = [line.split(" | ")[0] for line in lines[4:]]
    assert labels[0] == "| as shipped"
    assert any("two_sigma_sq=0.25" in label for label in labels)
    goals = (tmp_path / "out" / "goals.md").read_text("utf-8").splitlines()
    assert [line.split(" | ")[0] for line in goals[4:]] == ["| grace", "| bgrl"]
