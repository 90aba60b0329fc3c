"""The page of a run as text: safe against its own contents, compact, and free of requests."""

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.pages.explore_page import (
    Edges,
    Explorer,
    LowestEdges,
    Nearest,
    Nodes,
    render,
)
from tests.explorers import explorer
from tests.html_reader import Reader, outside_references

ATTACK = "</script><script>alert('x')</script><img src=x onerror=alert(1)>&amp;$title"


def hostile(name: str) -> Explorer:
    labels = np.zeros(25, dtype=np.int64)
    return explorer(ids=[name] * 25, labels=labels, class_names=[name], name=name)


def test_hostile_strings_add_no_tag() -> None:
    bad, good = Reader(render(hostile(ATTACK))), Reader(render(hostile("harmless")))
    assert [tag for tag, _ in bad.tags] == [tag for tag, _ in good.tags]
    assert bad.scripts() == good.scripts()
    assert bad.inside("h1") == bad.inside("title")[:1] == [ATTACK]
    assert ATTACK in bad.inside("dt")
    assert ATTACK in bad.inside("li")
    assert ATTACK in bad.inside("h3")


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_every_name_arrives_as_it_was(name: str) -> None:
    reader = Reader(render(hostile(name)))
    names = json.loads(reader.data("names"))
    assert names == {"ids": [name] * 25, "classes": [name], "features": [name, "age"]}


def test_page_refers_to_nothing_outside() -> None:
    assert outside_references(render(explorer())) == []


def test_arrays_are_those_given() -> None:
    shown = explorer(labels=np.arange(25) % 4 - 1, class_names=["a", "b", "c"])
    reader = Reader(render(shown))

    def array(name: str, dtype: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(reader.data(f"array-{name}")), dtype)

    assert np.array_equal(array("points", "<f4"), shown.nodes.points.astype("f4").ravel())
    assert np.array_equal(array("labels", "<i4"), np.arange(25) % 4 - 1)
    assert np.array_equal(array("offsets", "<u4"), shown.edges.offsets)
    assert np.array_equal(array("targets", "<u4"), shown.edges.targets)
    assert np.allclose(array("saliency", "<u2") / 65535, shown.edges.saliency, atol=1e-5)
    assert np.array_equal(array("nearest", "<u4"), shown.nearest.indices.ravel())
    assert np.allclose(array("cosines", "<i2") / 32767, 0.5, atol=2e-5)
    assert array("lowest-ends", "<u4").tolist()[:4] == [0, 1, 1, 2]
    assert np.allclose(array("lowest-saliency", "<u2")[0] / 65535, 0.1, atol=1e-5)
    assert np.isnan(array("mean-saliency", "<f4")[0])
    assert array("feature-ranges", "<f4").tolist() == [0, 0, 1, 30, 10, 61]
    assert array("feature-offsets", "<u4").tolist() == [0, 1, 3]
    assert array("feature-nodes", "<u4").tolist() == [4, 0, 6]
    assert array("feature-levels", "|u1").tolist() == [255, 0, 255]


def test_without_features_there_are_no_arrays_of_them() -> None:
    text = render(replace(explorer(), features=None))
    assert 'id="array-feature' not in text
    assert json.loads(Reader(text).data("names"))["features"] == []


def test_values_a_rounding_error_beyond_their_range_do_not_wrap_around() -> None:
    shown = explorer()
    edges = replace(shown.edges, saliency=np.full(50, 1.0001))
    near = replace(shown.nearest, cosines=np.full((25, 2), 1.0001))
    reader = Reader(render(replace(shown, edges=edges, nearest=near)))
    for name, dtype, most in (("saliency", "<u2", 65535), ("cosines", "<i2", 32767)):
        values = np.frombuffer(base64.b64decode(reader.data(f"array-{name}")), dtype)
        assert set(values.tolist()) == {most}


def test_ids_that_are_numbers_take_no_room() -> None:
    shown = explorer(ids=[str(i) for i in range(25)])
    assert json.loads(Reader(render(shown)).data("names"))["ids"] is None


def test_without_labels_there_is_neither_array_nor_share() -> None:
    bins = explorer().histogram
    unknown = replace(bins, same=0 * bins.same, different=0 * bins.different)
    text = render(replace(explorer(), histogram=unknown))
    assert 'id="array-labels"' not in text
    assert "Share of edges" not in text


def test_a_hundred_thousand_nodes_take_some_tens_of_megabytes() -> None:
    n, k = 100_000, 10
    many = np.zeros(n * k, dtype=np.int64)
    nodes = Nodes([str(i) for i in range(n)], np.zeros((n, 2)), many[:n], many[:n])
    edges = Edges(k * np.arange(n + 1), many, np.zeros(n * k))
    nearest = Nearest(many.reshape(n, k), np.zeros((n, k)))
    text = render(replace(explorer(), nodes=nodes, edges=edges, nearest=nearest))
    assert len(text) < 20e6


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"points": np.zeros((25, 3))}, r"points must be \[25, 2\]"),
        ({"clusters": np.zeros(24)}, r"clusters must be \[25\], not \[24\]"),
        ({"labels": np.zeros(26)}, r"labels must be \[25\]"),
        ({"saliency": np.zeros(26)}, r"saliency must be \[25\]"),
        ({"labels": np.full(25, 2), "class_names": ["a", "b"]}, "label 2 has no class name"),
    ],
)
def test_nodes_of_different_sizes_are_refused(change: dict[str, Any], names: str) -> None:
    with pytest.raises(ValueError, match=names):
        replace(explorer().nodes, **change)


def test_parts_of_different_graphs_are_refused() -> None:
    few, some = np.zeros((24, 2), dtype=np.int64), np.zeros((24, 3))
    with pytest.raises(ValueError, match="of 25 nodes"):
        replace(explorer(), nearest=Nearest(few, some[:, :2]))
    with pytest.raises(ValueError, match="one target"):
        Edges(np.array([0, 3]), few[0], some[0, :2])
    with pytest.raises(ValueError, match="one shape"):
        Nearest(few, some)
    with pytest.raises(ValueError, match="two ends"):
        LowestEdges(few[0], few[1], some[0])
    features = explorer().features
    assert features is not None
    with pytest.raises(ValueError, match="one name"):
        replace(features, names=["age"])
    with pytest.raises(ValueError, match="a node and a level"):
        replace(features, levels=np.zeros(1))
