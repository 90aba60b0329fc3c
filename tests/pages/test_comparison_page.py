"""The comparison of methods: safe against its own contents, whole, and free of outside requests."""

import base64
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.comparison_page import Comparison, EmbeddingMap, render, write_page
from tests.html_reader import Reader, outside_references

ATTACK = "</script><script>alert('x')</script><img src=x onerror=alert(1)>&amp;$title"


def example(name: str = "grace") -> Comparison:
    return Comparison(
        title=name,
        summary=name,
        results={
            name: {"test_accuracy": 0.81, "nmi": 0.5, "ari": 0.4},
            "other": {"test_accuracy": 0.8, "nmi": 0.61},
        },
        maps=[
            EmbeddingMap(
                name,
                np.array([[0.0, 1.0], [2.0, -0.5]], dtype=np.float32),
                np.array([0, -1]),
                np.array([1, 1]),
            )
        ],
        saliency=SaliencyHistogram(
            np.array([0.0, 0.5, 1.0]), np.array([10, 30]), np.array([30, 10]), np.array([0, 0])
        ),
        curves={name: {name: [2.0, 1.5, float("nan")]}, "other": {"loss": [1.0]}},
        facts={name: name},
    )


def read(comparison: Comparison) -> Reader:
    return Reader(render(comparison))


def test_hostile_strings_add_no_tag() -> None:
    hostile, harmless = read(example(ATTACK)), read(example("harmless"))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in harmless.tags]
    assert hostile.scripts() == harmless.scripts()
    assert hostile.inside("title")[:1] == hostile.inside("h1") == [ATTACK]
    assert hostile.inside("dt") == hostile.inside("dd") == [ATTACK]
    assert hostile.inside("p")[0] == ATTACK
    assert hostile.inside("th")[4] == ATTACK
    assert hostile.inside("h3").count(ATTACK) == 2  # of its map and of its term
    assert not [name for _, attributes in hostile.tags for name in attributes if name[:2] == "on"]


@settings(max_examples=25, deadline=None)
@given(st.text())
def test_every_string_arrives_as_it_was(name: str) -> None:
    reader = read(example(name))
    assert reader.raw("h1") == reader.raw("p")[:1] == reader.raw("dd") == [name]
    labels = [a["aria-label"] for _, a in reader.tags if a.get("role") == "application"]
    assert [str(label).partition(". Arrow keys")[0] for label in labels] == [
        f"Map of the embeddings of {name}"
    ]


def test_metric_names_are_escaped() -> None:
    reader = read(Comparison("t", "s", {"m": {ATTACK: 0.5}}))
    assert reader.inside("th") == ["Method", ATTACK, "m"]


def test_page_refers_to_nothing_outside() -> None:
    assert outside_references(render(example())) == []


def test_table_shows_rounded_metrics_and_marks_the_best_of_each() -> None:
    reader = read(example())
    assert reader.inside("th") == ["Method", "Accuracy", "NMI", "ARI", "grace", "other"]
    assert reader.inside("td") == ["81.0 %", "0.500", "0.400", "80.0 %", "0.610", "–"]
    marked = [a.get("class") for tag, a in reader.tags if tag == "td"]
    assert marked == ["best", None, "best", None, "best", None]


def test_methods_that_look_equal_are_both_best() -> None:
    reader = read(Comparison("t", "s", {"a": {"nmi": 0.50001}, "b": {"nmi": 0.50002}}))
    assert [a.get("class") for tag, a in reader.tags if tag == "td"] == ["best", "best"]


def test_maps_hold_the_arrays_of_each_method() -> None:
    one = example().maps[0]
    two = EmbeddingMap("two", -one.points, one.labels, np.array([0, 2]))
    reader = read(Comparison("t", "s", {}, maps=[one, two]))

    def array(name: str, dtype: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(reader.data(f"array-{name}")), dtype)

    for number, each in enumerate((one, two)):
        assert np.array_equal(array(f"points-{number}", "<f4"), each.points.ravel())
        assert np.array_equal(array(f"labels-{number}", "<i4"), each.labels)
        assert np.array_equal(array(f"clusters-{number}", "<i4"), each.clusters)


def test_each_term_has_a_figure_with_the_methods_that_have_it() -> None:
    curves = {"a": {"loss": [2.0, 1.0]}, "b": {"loss": [3.0, 2.0], "extra": [1.0, 0.5]}}
    reader = read(Comparison("t", "s", {}, curves=curves))
    assert reader.inside("h3") == ["loss", "extra"]
    drawn = [attributes["class"] for tag, attributes in reader.tags if tag == "path"]
    assert drawn == ["curve c0", "curve c1", "curve c1"]
    text = render(Comparison("t", "s", {}, curves=curves))
    assert text.count('<i class="c0"></i>a</span>') == 1
    assert text.count('<i class="c1"></i>b</span>') == 2


def test_saliency_shows_counts_and_shares() -> None:
    reader = read(example())
    assert "Share of edges within one class" in reader.inside("h3")
    hints = [text for text in reader.inside("title") if text.startswith("saliency from")]
    assert "saliency from 0.00 to 0.50: 25.0 % of 40 edges" in hints
    assert "saliency from 0.50 to 1.00: 30 edges, one class" in hints


@pytest.mark.parametrize("with_bins", [True, False])
def test_page_without_figures_is_still_a_page(with_bins: bool) -> None:
    none = np.zeros(1, dtype=np.int64)
    bins = SaliencyHistogram(np.array([0.0, 1.0]), none, none, none) if with_bins else None
    reader = read(Comparison("t", "s", {}, saliency=bins))
    assert not {"figure", "svg"} & {tag for tag, _ in reader.tags}
    assert reader.inside("h1") == ["t"]


def test_written_file_is_the_rendered_page(tmp_path: Path) -> None:
    target = tmp_path / "new" / "page.html"
    assert write_page(target, example()) == target
    assert target.read_text(encoding="utf-8") == render(example())
    assert list(target.parent.iterdir()) == [target]


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match=r"page\.html: No space left on device"):
        write_page(target, example())
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_folder_that_is_a_file_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        write_page(tmp_path / "taken" / "page.html", example())


@pytest.mark.parametrize("shape", [(3,), (3, 3)])
def test_points_must_lie_in_the_plane(shape: tuple[int, ...]) -> None:
    labels = np.zeros(3, dtype=np.int64)
    with pytest.raises(ValueError, match=r"points must be \[N, 2\]"):
        EmbeddingMap("m", np.zeros(shape), labels, labels)


def test_labels_must_match_the_points() -> None:
    with pytest.raises(ValueError, match=r"clusters must be \[3\], not \[2\]"):
        EmbeddingMap("m", np.zeros((3, 2)), np.zeros(3, np.int64), np.zeros(2, np.int64))
