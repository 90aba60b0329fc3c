"""The table of neighbors that views have lost, and its trainings."""

from __future__ import annotations

from pathlib import Path

from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining
from reproduction.study.unseen import ALONE, KINDS, UNSEEN, unseen


def test_each_kind_differs_from_its_base_in_the_plug_in_alone() -> None:
    trainings = [each for each in UNSEEN.trainings(False) if isinstance(each, GraphTraining)]
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    assert {each.folder for each in trainings} == {"study/unseen"}

    def of(spec: Request) -> dict[str, object]:
        return {**spec.settings().flat(), "seed": spec.seed}

    bases = [each.spec for each in trainings if "+" not in each.spec.method]
    for each in trainings:
        base, settings = each.spec.method.partition("+")[0], of(each.spec)
        assert any(
            (other.method, other.data) == (base, each.spec.data)
            and of(other).items() <= settings.items()
            for other in bases
        )


def test_lost_neighbors_are_a_setting_of_the_plug_in() -> None:
    for kind, (plugin, settings) in KINDS.items():
        taken = Request(f"grace{plugin}", "cora", 0, settings).settings().method.get("taken", "all")
        expected = {"lost": "unseen", "left": "seen"}.get(kind.partition(",")[0], "all")
        assert taken == expected


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in UNSEEN.trainings(True):
        training.run(tmp_path)
    table = unseen(tmp_path, quick=True)
    assert [row[3] for row in table.rows] == list(KINDS)
    assert table.rows[0][3] == ALONE
    assert all(cell is not None for row in table.rows[1:] for cell in row[:8])
    files = UNSEEN.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
