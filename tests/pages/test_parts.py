"""Parts of pages: what runs is what was written here, and strings stay strings."""

import base64
import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.pages import comparison_page, explore_page
from homogcl.pages.parts import array_block, embedded_json, figure, json_block
from tests.explorers import explorer
from tests.html_reader import Reader, outside_references, policy

PAGES = {
    "explore": explore_page.render(explorer()),
    "comparison": comparison_page.render(comparison_page.Comparison("t", "s", {})),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_only_the_scripts_and_styles_of_the_page_may_run(page: str) -> None:
    allowed = policy(page)
    assert allowed["default-src"] == allowed["connect-src"] == ["'none'"]

    def source(part: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'"

    reader = Reader(page)
    assert len(reader.scripts()) >= 4
    assert [source(script) for script in reader.scripts()] == allowed["script-src"]
    [style] = [t for (n, _), t in zip(reader.tags, reader.texts, strict=True) if n == "style"]
    assert [source(style)] == allowed["style-src"]


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_json_arrives_as_it_was_and_holds_no_tag(value: object) -> None:
    assert json.loads(embedded_json(value)) == value
    assert not set("<>&") & set(embedded_json(value))
    assert json.loads(Reader(json_block("b", value)).data("b")) == value


@pytest.mark.parametrize("dtype", ["<f4", "<i4", "<u4", "<u2", "<i2"])
def test_arrays_arrive_as_they_were(dtype: str) -> None:
    values = np.array([[0, 1, 7], [3, 2, 5]]).astype(dtype)
    block = Reader(array_block("x", values))
    back = np.frombuffer(base64.b64decode(block.data("array-x")), dtype)
    assert np.array_equal(back, values.ravel())
    [(_, attributes)] = block.tags
    kinds = {"f": "Float", "i": "Int", "u": "Uint"}
    assert attributes["data-kind"] == f"{kinds[dtype[1]]}{8 * values.itemsize}"


def test_figure_escapes_its_title_and_key_but_not_its_content() -> None:
    reader = Reader(figure("<b>", "<svg></svg>", [("c0", "<i>&")]))
    assert [tag for tag, _ in reader.tags] == ["figure", "h3", "div", "span", "i", "svg"]
    assert reader.inside("h3") == ["<b>"]


@pytest.mark.parametrize(
    "text",
    [
        '<img src="x">',
        '<a href="page.html"></a>',
        "<style>@import 'x'</style>",
        "<script>fetch('x')</script>",
        '<p style="color: red"></p>',
    ],
)
def test_reference_to_the_outside_would_be_seen(text: str) -> None:
    assert outside_references(text) != []
