"""The table of methods whose own loss has neighbors, and its trainings."""

from __future__ import annotations

from pathlib import Path

from reproduction.artifact import GraphTraining
from reproduction.study.neighbor_methods import (
    ALIKE,
    CELLS,
    MOST_SEEDS,
    NEIGHBOR_METHODS,
    PLUGINS,
    neighbor_methods,
)


def test_presets_have_their_folder_and_changed_settings_another() -> None:
    trainings = NEIGHBOR_METHODS.trainings(False)
    seeds = [
        min(cell.seeds, MOST_SEEDS.get(each, 9)) for cell in CELLS.values() for each in PLUGINS
    ]
    assert len(trainings) == sum(seeds)
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    for each in trainings:
        assert isinstance(each, GraphTraining)
        plain = "+" not in each.spec.method and not each.spec.overrides
        assert each.folder == ("presets" if plain else "study/neighbor-methods")


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in NEIGHBOR_METHODS.trainings(True):
        training.run(tmp_path)
    table = neighbor_methods(tmp_path, quick=True)
    assert [row[3] for row in table.rows] == [ALIKE, *list(PLUGINS)[1:]]
    assert table.rows[0][-2] is None
    assert all(row[-2] is not None for row in table.rows[1:])
    files = NEIGHBOR_METHODS.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
