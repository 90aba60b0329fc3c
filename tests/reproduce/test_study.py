"""The study beyond the paper: which trainings it is made of, and its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.presets import resolve
from homogcl.reproduce.artifact import GraphCell
from homogcl.reproduce.catalog import chosen
from homogcl.reproduce.study import LEVERS, SEEDS, STUDY, study_cells
from tests.shell import Shell


def cells(base: str) -> list[GraphCell]:
    return [cell for cell in study_cells(base, quick=False) if isinstance(cell, GraphCell)]


@pytest.mark.parametrize("base", ["grace", "bgrl"])
def test_every_run_is_of_other_settings_and_moves_the_plug_in_alone(base: str) -> None:
    found = cells(base)
    places = [cell.path(Path("results")) for cell in found]
    assert len(set(places)) == len(places)
    for cell in found:
        alone, with_it = resolve(base, cell.spec.data), cell.spec.settings()
        assert with_it.train == alone.train
        assert with_it.data == alone.data
        assert alone.method.items() <= with_it.method.items()
        shipped = resolve(cell.spec.method, cell.spec.data)
        assert (with_it == shipped) == (cell.folder == "presets")


def test_levers_that_change_nothing_are_not_run_twice() -> None:
    # On each of three graphs: the base, the plug-in as shipped, and the levers that move it. On
    # GRACE the fixed width is what is shipped; on CiteSeer 30 clusters are.
    assert len(cells("grace")) == SEEDS * (3 * (2 + len(LEVERS) - 1) - 1)
    # On BGRL the clusters' own width is shipped, and no logarithm can be taken apart.
    assert len(cells("bgrl")) == SEEDS * (3 * (2 + len(LEVERS) - 2) - 1)


def test_groups_are_of_their_own() -> None:
    assert chosen(["study"]) == list(STUDY.values())
    assert not {each.name for each in chosen(["all"])} & {*STUDY}
    both = chosen(["levers-bgrl", "study", "statistics"])
    assert [each.name for each in both] == ["levers-bgrl", "levers-grace", "statistics"]


def test_the_quick_form_makes_tables_and_pictures(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("reproduce", "study", "--quick", "--out", "out")
    for name in STUDY:
        assert {path.name for path in (tmp_path / "out").glob(f"{name}.*")} == {
            f"{name}.{ending}" for ending in ("md", "tex", "csv", "png", "svg")
        }
        lines = (tmp_path / "out" / f"{name}.md").read_text("utf-8").splitlines()
        assert lines[2].endswith("| demo, validation | demo, test | demo, AUC of S |")
        labels = [line.split(" | ")[0] for line in lines[4:]]
        assert labels[0] == "| as shipped"
        assert any("two_sigma_sq=0.25" in label for label in labels)
