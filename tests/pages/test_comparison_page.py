"""The page: safe against its own contents, whole, and free of outside requests."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plotly.offline import get_plotlyjs

from homogcl.core.errors import UserError
from homogcl.pages.comparison_page import EmbeddingMap, Page, SaliencyBins, render, write_page

ATTACK = "</script><script>alert('x')</script><img src=x onerror=alert(1)>&amp;$title"


class Reader(HTMLParser):
    """Collects the tags of a page and the text inside each kind of tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self._open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self._open[-1:]:
            self.text[tag][-1] += data


def read(page: Page) -> Reader:
    """Parse the page without the plotting library's own text."""
    text = render(page)
    assert text.count(get_plotlyjs()) == 1
    return Reader(text.replace(get_plotlyjs(), ""))


def embedded(reader: Reader) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(reader.text["script"][0])
    return value


def example(name: str = "grace") -> Page:
    return Page(
        title=name,
        summary=name,
        results={
            name: {"test_accuracy": 0.81, "nmi": 0.5, "ari": 0.4},
            "other": {"test_accuracy": 0.8, "nmi": 0.61},
        },
        maps=[
            EmbeddingMap(
                name,
                np.array([[0.0, 1.0], [2.0, np.nan]], dtype=np.float32),
                np.array([0, 1]),
                np.array([1, 1]),
            )
        ],
        saliency=SaliencyBins(
            np.array([0.0, 0.5, 0.8, 1.0]), np.array([0.25, np.nan, 0.75]), np.array([30, 0, 10])
        ),
        curves={name: {name: [2.0, 1.5, float("nan")]}},
        facts={name: name},
    )


def test_hostile_strings_add_no_tag() -> None:
    hostile, harmless = read(example(ATTACK)), read(example())
    assert hostile.tags == harmless.tags
    assert hostile.text["script"][2] == harmless.text["script"][2]
    assert hostile.text["title"] == hostile.text["h1"] == [ATTACK]
    assert hostile.text["dt"] == hostile.text["dd"] == [ATTACK]
    assert embedded(hostile)["maps"][0]["method"] == ATTACK
    assert embedded(hostile)["curves"] == {ATTACK: {ATTACK: [2.0, 1.5, None]}}


@settings(max_examples=25, deadline=None)
@given(st.text())
def test_every_string_arrives_as_it_was(name: str) -> None:
    reader = read(example(name))
    assert reader.text["h1"] == [name]
    assert reader.text["p"][0] == name
    assert embedded(reader)["maps"][0]["method"] == name


def test_metric_names_are_escaped() -> None:
    reader = read(Page("t", "s", {"m": {ATTACK: 0.5}}))
    assert reader.text["th"] == ["Method", ATTACK, "m"]


def test_page_refers_to_nothing_outside() -> None:
    reader = read(example())
    for _, attributes in reader.tags:
        assert not {"src", "href", "srcset", "action", "style"} & set(attributes)
    assert not re.search(
        r"url\(|@import|fetch\(|https?:", render(example()).replace(get_plotlyjs(), "")
    )
    [policy] = [a["content"] for _, a in reader.tags if "http-equiv" in a]
    assert policy is not None
    assert policy.startswith("default-src 'none';")


def test_table_shows_rounded_metrics_and_marks_the_best_of_each() -> None:
    reader = read(example())
    assert reader.text["th"] == ["Method", "Accuracy", "NMI", "ARI", "grace", "other"]
    assert reader.text["td"] == ["81.0 %", "0.500", "0.400", "80.0 %", "0.610", "–"]
    marked = [a.get("class") for tag, a in reader.tags if tag == "td"]
    assert marked == ["best", None, "best", None, "best", None]


def test_methods_that_look_equal_are_both_best() -> None:
    reader = read(Page("t", "s", {"a": {"nmi": 0.50001}, "b": {"nmi": 0.50002}}))
    assert [a.get("class") for tag, a in reader.tags if tag == "td"] == ["best", "best"]


def test_figures_hold_the_given_numbers() -> None:
    figures = embedded(read(example()))
    assert figures["maps"] == [
        {"method": "grace", "x": [0.0, 2.0], "y": [1.0, None], "labels": [0, 1], "clusters": [1, 1]}
    ]
    assert figures["saliency"] == {
        "bounds": [0.0, 0.5, 0.8, 1.0],
        "share": [0.25, None, 0.75],
        "counts": [30, 0, 10],
        "overall": 0.375,
    }


def test_page_without_figures_is_still_a_page() -> None:
    reader = read(Page("t", "s", {}))
    assert embedded(reader) == {"maps": [], "saliency": None, "curves": {}}


def test_no_edges_means_no_overall_share() -> None:
    bins = SaliencyBins(np.array([0.0, 1.0]), np.array([0.0]), np.array([0]))
    figures = embedded(read(Page("t", "s", {}, saliency=bins)))
    assert figures["saliency"]["share"] == [None]
    assert figures["saliency"]["overall"] is None


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


def test_bins_must_match_their_bounds() -> None:
    with pytest.raises(ValueError, match="B \\+ 1 bounds"):
        SaliencyBins(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2, np.int64))
