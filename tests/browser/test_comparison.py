"""The comparison in a real browser: two maps, one coloring, one node marked in both."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By

from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.comparison_page import Comparison, EmbeddingMap, render
from tests.explorers import lattice
from tests.tab import Tab, cut, narrow

ATTACK = "</script><img src=x onerror='hacked = 2'>"


def comparison(name: str = "grace") -> Comparison:
    points, labels = lattice(5), np.arange(25) % 3 - 1
    return Comparison(
        title=name,
        summary=name,
        results={name: {"nmi": 0.5}, "other": {"nmi": 0.6}},
        maps=[
            EmbeddingMap(name, points, labels, np.arange(25) % 2),
            EmbeddingMap("other", -points, labels, np.arange(25) % 4),
        ],
        saliency=SaliencyHistogram(
            np.array([0.0, 0.5, 1.0]), np.array([3, 9]), np.array([6, 1]), np.array([0, 2])
        ),
        curves={name: {name: [3.0, 1.0]}, "other": {name: [2.0, 1.0]}},
        facts={name: name},
    )


@pytest.fixture
def tab(chrome: Chrome, tmp_path: Path) -> Tab:
    tab = Tab(chrome, tmp_path / "page.html", render(comparison()))
    tab.wait_for("return comparison.maps.every((map) => map.scatter.frames > 0)")
    return tab


def pixel(tab: Tab, which: int, node: int) -> list[int]:
    """Red, green, blue and opacity that WebGL drew at a node of a map."""
    values: list[int] = tab.run(f"""
        const {{ scatter }} = comparison.maps[{which}], out = new Uint8Array(4);
        scatter.draw();
        const gl = scatter.gl, [x, y] = scatter.pixelOf({node});
        gl.readPixels(x, scatter.height - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        return [...out];""")
    return values


def point_at(tab: Tab, which: int, node: int) -> None:
    """Move the pointer to a node of a map."""
    map_of = f"const {{ scatter }} = comparison.maps[{which}];"
    tab.run(map_of + "scatter.stage.scrollIntoView({ block: 'center', behavior: 'instant' })")
    x, y = tab.run(f"{map_of} return scatter.pixelOf({node})")
    width, height = tab.run(f"{map_of} return [scatter.width, scatter.height]")
    stage = tab.chrome.find_elements(By.CSS_SELECTOR, "#maps .stage")[which]
    chain = ActionChains(tab.chrome, duration=0)
    chain.move_to_element_with_offset(stage, round(x - width / 2), round(y - height / 2)).perform()


def test_page_loads_and_draws_without_error_or_request(tab: Tab) -> None:
    assert tab.errors() == []
    assert tab.requests() in ([tab.url], [tab.url, "data:,"])
    assert len(tab.chrome.find_elements(By.CSS_SELECTOR, "svg")) == 3


def test_each_node_has_the_color_of_its_class_in_both_maps(tab: Tab) -> None:
    colors = tab.run("return [colors.none, colors.hues[0], colors.hues[1]]")
    for which in (0, 1):
        for node in (0, 1, 2, 12):
            *color, opacity = pixel(tab, which, node)
            assert opacity > 200
            # Premultiplied by the opacity.
            expected = [value * opacity / 255 for value in colors[node % 3]]
            assert color == pytest.approx(expected, abs=3)


def test_clusters_are_each_map_s_own(tab: Tab) -> None:
    tab.chrome.find_element(By.CSS_SELECTOR, '[data-by="clusters"]').click()
    assert pixel(tab, 0, 0) == pixel(tab, 0, 2) != pixel(tab, 0, 1)
    assert pixel(tab, 1, 0) != pixel(tab, 1, 2)
    legend = tab.chrome.find_element(By.ID, "legend").text.split("\n")
    assert legend == ["cluster 0", "cluster 1", "cluster 2", "cluster 3"]


def test_legend_counts_classes_and_sets_other_groups_back(tab: Tab) -> None:
    text = tab.chrome.find_element(By.ID, "legend").text.split()
    assert text == ["class", "0", "8", "class", "1", "8", "no", "label", "9"]
    tab.chrome.find_element(By.CSS_SELECTOR, '#legend [data-group="0"]').click()
    for which in (0, 1):
        assert pixel(tab, which, 1)[3] > 200
        assert pixel(tab, which, 2)[3] < 60


def test_node_under_the_pointer_is_named_and_marked_in_both_maps(tab: Tab) -> None:
    point_at(tab, 0, 7)
    tab.wait_for("return comparison.hovered === 7 && !comparison.maps[0].tip.hidden")
    assert tab.run("return comparison.maps[0].tip.textContent") == "node 7class 0 · cluster 1"
    assert tab.run("return comparison.maps[1].tip.hidden")
    ring = """
        const { scatter } = comparison.maps[arguments[0]], [x, y] = scatter.pixelOf(7);
        scatter.draw();
        const ratio = scatter.ratio, around = scatter.size / 2 + 4;
        return scatter.top.getImageData((x + around) * ratio, y * ratio, 1, 1).data[3];"""
    for which in (0, 1):
        assert tab.chrome.execute_script(ring, which) > 100


def test_hostile_names_are_text(chrome: Chrome, tmp_path: Path) -> None:
    page = Tab(chrome, tmp_path / "page.html", render(comparison(ATTACK)))
    assert chrome.title == ATTACK
    assert page.run("return document.querySelector('#maps h3').textContent") == ATTACK
    assert page.run("return typeof hacked") == "undefined"
    assert page.run("return document.images.length") == 0
    assert page.errors() == []


def test_sections_without_figures_are_hidden(chrome: Chrome, tmp_path: Path) -> None:
    page = Tab(chrome, tmp_path / "page.html", render(Comparison("t", "s", {"m": {"nmi": 0.5}})))
    shown = "return [...document.querySelectorAll('section')].filter((s) => !s.hidden).length"
    assert page.run(shown) == 1
    assert page.errors() == []


def test_telephone_shows_maps_below_each_other_and_cuts_no_text(
    chrome: Chrome, tmp_path: Path
) -> None:
    metrics = {"test_accuracy": 0.8123, "nmi": 0.6123, "ari": 0.5123, "rewired_test_accuracy": 0.7}
    results = dict.fromkeys(("propagation", "grace+homogcl", "grace+adaptive"), metrics)
    shown = replace(comparison("grace+homogcl"), results=results)
    page = Tab(chrome, tmp_path / "page.html", render(shown))
    with narrow(page):
        page.wait_for("return comparison.maps[0].scatter.width < 390")
        boxes = page.run(
            "return comparison.maps.map((m) => m.scatter.stage.getBoundingClientRect().toJSON())"
        )
        assert boxes[1]["top"] >= boxes[0]["bottom"]
        assert cut(page) == []
        lines = """
            return [...document.querySelectorAll("table th")].map((one) => {
                const range = document.createRange();
                range.selectNodeContents(one);
                return new Set([...range.getClientRects()].map((box) => box.top)).size;
            })"""
        assert max(page.run(lines)) <= 3  # "With wrong edges": a word a line, no name by letters
