"""The paper's figures: drawn from records alone, refused where a record is missing."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.presets.resolve import resolve
from reproduction.artifact import Cell, GraphCell
from reproduction.figures import FIGURES
from reproduction.figures.drawing import apart
from reproduction.figures.pipeline import pipeline
from reproduction.figures.runs import SEEDS
from reproduction.figures.saliency import intervals
from reproduction.figures.similarity import curve
from reproduction.layout_cell import LayoutCell, Points, read_points, write_points
from reproduction.vision.images import CIFAR
from reproduction.vision_cell import VisionCell
from tests.records import make_record
from tests.shell import Shell

TRAINED = [name for name in FIGURES if name != "pipeline"]


def metrics(level: float) -> dict[str, float]:
    """Every metric that a figure may show."""
    ends = {f"edge_homophily_{end:05d}": level + end / 10_000 for end in (500, 1000, 1200)}
    return {
        "test_accuracy": level,
        "nmi": level / 2,
        "edge_homophily": level,
        "saliency_auc": level,
        "positive_similarity": level,
        "negative_similarity": level / 4,
        **ends,
    }


def keep(cell: Cell, results: Path, level: float) -> None:
    """Write a record by hand where the cell has its own."""
    assert isinstance(cell, GraphCell | VisionCell | LayoutCell)
    followed = () if isinstance(cell, VisionCell) else cell.spec.milestones
    epochs = {str(epoch): metrics(level / epoch) for epoch in followed or (1, 2, 3)}
    seed = cell.seed if isinstance(cell, VisionCell) else cell.spec.seed
    found: dict[str, object] = {"metrics": metrics(level), "milestones": epochs}
    record = make_record({"train": {"epochs": 4}}, seed=seed, **found)
    path = cell.path(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record.model_dump_json(), "utf-8")
    if isinstance(cell, LayoutCell):
        at = np.random.default_rng(0).uniform(-1, 1, (30, 2)).astype(np.float32)
        write_points(cell.points_path(results), Points(at, np.arange(30) % 7))


def keep_all(name: str, results: Path, quick: bool, level: float = 0.6) -> Sequence[Cell]:
    cells = FIGURES[name].cells(quick)
    for number, cell in enumerate(cells):
        keep(cell, results, level + number / 100)
    return cells


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
    name: str, homogcl: Shell, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    last = keep_all(name, results, quick=True)[-1]
    assert isinstance(last, GraphCell | VisionCell | LayoutCell)
    last.path(results).unlink()
    line = homogcl.refuses("figure", name, "--quick")
    assert last.label in line
    assert f"homogcl reproduce {name} --quick" in line
    line = homogcl.refuses("figure", name)
    assert f"run `homogcl reproduce {name}`" in line
    assert not (tmp_path / "figures").exists()


def test_a_record_without_the_metric_is_as_good_as_none(tmp_path: Path) -> None:
    cell = keep_all("saliency", tmp_path, quick=True)[0]
    assert isinstance(cell, GraphCell)
    bare = make_record(metrics={"test_accuracy": 0.8})
    cell.path(tmp_path).write_text(bare.model_dump_json(), "utf-8")
    with pytest.raises(UserError, match="homogcl reproduce saliency"):
        FIGURES["saliency"].write(tmp_path, tmp_path, True)


def test_missing_or_damaged_points_are_refused(tmp_path: Path) -> None:
    cell = keep_all("tsne", tmp_path, quick=True)[0]
    assert isinstance(cell, LayoutCell)
    cell.points_path(tmp_path).write_bytes(b"no archive")
    with pytest.raises(UserError, match="holds no points"):
        FIGURES["tsne"].write(tmp_path, tmp_path, True)
    cell.points_path(tmp_path).unlink()
    with pytest.raises(UserError, match="homogcl reproduce tsne"):
        FIGURES["tsne"].write(tmp_path, tmp_path, True)


def test_points_come_back_as_they_were(tmp_path: Path) -> None:
    at = np.array([[0.5, -1], [1, 0.25]], dtype=np.float32)
    found = read_points(write_points(tmp_path / "points.npz", Points(at, np.array([3, 1]))))
    np.testing.assert_array_equal(found.at, at)
    assert found.labels.tolist() == [3, 1]


def test_the_command_draws_and_names_what_it_wrote(homogcl: Shell, tmp_path: Path) -> None:
    keep_all("saliency", tmp_path / "kept", quick=False)
    told = homogcl("figure", "saliency", "--results", "kept", "--out", "drawn")
    assert "drawn/saliency.png" in told
    assert (tmp_path / "drawn" / "saliency.svg").exists()
    assert "did you mean: saliency" in homogcl.refuses("figure", "salience")


def test_figures_say_which_package_they_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"homogcl\[figures\]"):
        FIGURES["pipeline"].write(tmp_path, tmp_path, True)


@pytest.mark.parametrize("name", TRAINED)
def test_full_and_quick_cells_never_share_a_record(name: str, tmp_path: Path) -> None:
    for quick in (True, False):
        for cell in FIGURES[name].cells(quick):
            assert isinstance(cell, GraphCell | VisionCell | LayoutCell)
            assert cell.path(tmp_path).is_relative_to(tmp_path / "quick") == quick
            if not isinstance(cell, VisionCell):
                assert (cell.spec.name == "demo") == quick


@pytest.mark.parametrize("there", [True, False])
def test_digits_stand_in_for_images_that_are_not_at_hand(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path))
    if there:
        (tmp_path / CIFAR).parent.mkdir()
        (tmp_path / CIFAR).touch()
    cells = [c for c in FIGURES["augmentation"].cells(False) if isinstance(c, VisionCell)]
    assert {cell.data for cell in cells} == {"cifar10" if there else "digits"}
    keep_all("augmentation", tmp_path / "results", quick=False)
    _, drawn = FIGURES["augmentation"].write(tmp_path / "results", tmp_path / "out", False)
    assert ("CIFAR-10" if there else "digits") in drawn.read_text("utf-8")


def test_records_of_presets_are_those_of_the_presets_settings() -> None:
    """A changed setting would make a cell that the tables' grid never has."""
    shared = 0
    for figure in FIGURES.values():
        for cell in figure.cells(False):
            if isinstance(cell, GraphCell) and cell.folder == "presets":
                shared += 1
                plain = resolve(cell.spec.method, cell.spec.data)
                assert cell.spec.settings() == plain
    assert shared >= 3 * SEEDS


def test_runs_without_message_passing_differ_in_the_encoder_alone() -> None:
    cells = [c for c in FIGURES["message-passing"].cells(False) if isinstance(c, GraphCell)]
    grace = [c for c in cells if c.spec.method == "grace" and c.spec.data == "cora"]
    runs = [c.spec.resolve(by_size=False) for c in grace]
    by_encoder = {run.settings.method["encoder"]: run.recorded_settings for run in runs}
    blocked = by_encoder["mlp"]["method"]
    assert isinstance(blocked, dict)
    assert blocked.pop("encoder") == "mlp"
    assert by_encoder["mlp"] == by_encoder["gcn"]
    assert blocked["drop_edge_1"] == blocked["mask_feature_2"] == 0


def test_the_pipeline_has_the_sizes_of_the_step() -> None:
    picture = pipeline()
    assert "2,500 × 256" in picture.boxes["U"].text
    assert "2,500 × 10" in picture.boxes["R"].text
    for start, end in picture.arrows:
        assert start in picture.boxes
        assert end in picture.boxes


def test_a_curve_is_the_mean_over_seeds_at_shared_epochs() -> None:
    def record(seed: int, **by_epoch: float) -> object:
        epochs = {epoch[1:]: {"a": value} for epoch, value in by_epoch.items()}
        last = {"a": 0.5}
        return make_record({"train": {"epochs": 9}}, seed=seed, metrics=last, milestones=epochs)

    records = [record(0, e1=0.2, e3=0.4), record(1, e1=0.6, e2=0.9, e3=0.4)]
    epochs, means, spread = curve(records, "a")  # type: ignore[arg-type]
    assert epochs == [1, 3, 9]
    assert means == pytest.approx([0.4, 0.4, 0.5])
    assert spread == pytest.approx([0.08**0.5, 0, 0])


def test_intervals_come_in_order_and_leave_the_whole_out() -> None:
    found = intervals([make_record(metrics=metrics(0.5))])
    assert list(found) == [500, 1000, 1200]
    assert found[1000].mean == pytest.approx(0.6)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.floats(0.01, 0.5))
def test_labels_stand_apart_in_their_order(heights: list[float], gap: float) -> None:
    moved = apart(heights, gap)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    steps = [moved[b] - moved[a] for a, b in itertools.pairwise(order)]
    assert all(step >= gap - 1e-9 for step in steps)
    assert sum(moved) == pytest.approx(sum(heights), abs=1e-9)
