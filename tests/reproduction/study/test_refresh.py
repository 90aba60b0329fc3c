"""The table of how often edges are weighed, and its trainings."""

from __future__ import annotations

from pathlib import Path

from reproduction.artifact import GraphTraining
from reproduction.study.refresh import EVERY, FOLDERS, REFRESH, SEEDS, refresh


def test_pairs_differ_in_how_often_edges_are_weighed_alone() -> None:
    trainings = [each for each in REFRESH.trainings(False) if isinstance(each, GraphTraining)]
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    places = {(each.spec.method, each.spec.data, each.spec.seed) for each in trainings}
    for method, data, seed in places:
        of_place = [
            dict(each.spec.settings().flat())
            for each in trainings
            if (each.spec.method, each.spec.data, each.spec.seed) == (method, data, seed)
        ]
        assert {each.pop("refresh") for each in of_place} == {*EVERY}
        first, second = of_place
        assert first == second
    assert {(method, data) for method, data, _ in places} == {
        (method, data) for method in FOLDERS for data in SEEDS
    }


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in REFRESH.trainings(True):
        training.run(tmp_path)
    table = refresh(tmp_path, quick=True)
    assert [row[2] for row in table.rows] == [*EVERY.values()] * len(FOLDERS)
    files = REFRESH.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
