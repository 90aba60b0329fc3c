"""The page of a run in a real browser: it draws, answers, asks nothing and runs nothing foreign."""

import csv
import io
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from matplotlib.image import imread
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from homogcl.pages.explore_page import Explorer, render
from tests.explorers import explorer
from tests.tab import PATIENCE, Tab, cut, narrow

ATTACKS = ["<script>hacked = 1</script>", "</script><img src=x onerror='hacked = 2'>", "&lt;b&gt;"]


class Page(Tab):
    """The page of a run."""

    def __init__(self, chrome: Chrome, path: Path, shown: Explorer) -> None:
        super().__init__(chrome, path, render(shown))
        self.stage = chrome.find_element(By.ID, "stage")

    def pointer(self, node: int) -> ActionChains:
        """The pointer, moved to a node."""
        x, y = self.run(f"return explorer.pixelOf({node})")
        width, height = self.run("return [stage.clientWidth, stage.clientHeight]")
        chain = ActionChains(self.chrome, duration=0)
        return chain.move_to_element_with_offset(
            self.stage, round(x - width / 2), round(y - height / 2)
        )

    def pixel(self, node: int) -> list[int]:
        """Red, green, blue and opacity that WebGL drew at a node."""
        return self.pixel_at(*self.run(f"return explorer.pixelOf({node})"))

    def pixel_at(self, x: float, y: float) -> list[int]:
        script = f"""
            explorer.draw();
            const gl = stage.querySelector("canvas").getContext("webgl"), out = new Uint8Array(4);
            gl.readPixels({x}, stage.clientHeight - {y}, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
            return [...out];"""
        values: list[int] = self.run(script)
        return values

    def panel(self) -> str:
        text: str = self.run("return panel.textContent")
        return text

    def color_by(self, choice: str) -> None:
        """Choose what nodes are colored by, as the list calls it."""
        Select(self.chrome.find_element(By.ID, "colors")).select_by_visible_text(choice)

    def legend(self) -> str:
        text: str = self.run("return byId('legend').textContent")
        return text

    def saved(self, button: str) -> tuple[str, str]:
        """Click a button that saves a file; return the file's name and its text."""
        keep = """
            window.files = [];
            URL.createObjectURL = (blob) => { files.push(blob); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { files.name = this.download; };"""
        self.run(keep)
        self.chrome.find_element(By.ID, button).click()
        self.wait_for("return files.length === 1")
        return self.run("return files.name"), self.run("return files[0].text()")

    def row(self, node: int) -> WebElement:
        return self.chrome.find_element(By.CSS_SELECTOR, f'#panel [data-node="{node}"]')


@pytest.fixture
def labeled(chrome: Chrome, tmp_path: Path) -> Page:
    labels, names = np.arange(25) % 3 - 1, ["art", "law"]
    return Page(chrome, tmp_path / "page.html", explorer(labels=labels, class_names=names))


def test_page_loads_and_draws_without_error_or_request(labeled: Page) -> None:
    labeled.wait_for("return explorer.frames > 0")
    assert labeled.run("return explorer.webgl")
    assert labeled.errors() == []
    assert labeled.requests() in ([labeled.url], [labeled.url, "data:,"])


def test_each_node_has_the_color_of_its_class(labeled: Page) -> None:
    colors = labeled.run("return [colors.none, colors.hues[0], colors.hues[1]]")
    for node in (0, 1, 2, 12):
        *color, opacity = labeled.pixel(node)
        assert opacity > 200
        wanted = colors[node % 3]
        # Premultiplied by the opacity.
        assert color == pytest.approx([value * opacity / 255 for value in wanted], abs=3)


def test_between_nodes_nothing_is_drawn(labeled: Page) -> None:
    beside, above = np.mean(labeled.run("return [6, 12].map(explorer.pixelOf)"), axis=0)
    assert labeled.pixel_at(beside, above) == [0, 0, 0, 0]


def test_click_selects_the_node_under_the_pointer(labeled: Page) -> None:
    labeled.pointer(7).click().perform()
    assert labeled.run("return explorer.selected") == 7
    text = labeled.panel()
    assert "node-7" in text
    assert "Classart" in text
    values = [one.text for one in labeled.chrome.find_elements(By.CSS_SELECTOR, "#panel output")]
    assert values == ["1.000", "0.250", "0.500", "0.500"]
    nodes = [
        one.get_attribute("data-node")
        for one in labeled.chrome.find_elements(By.CSS_SELECTOR, "#panel .rows button")
    ]
    assert nodes == ["8", "6", "9", "12"]


def test_click_beside_every_node_lets_go(labeled: Page) -> None:
    labeled.pointer(7).click().perform()
    labeled.pointer(7).move_by_offset(40, 40).click().perform()
    assert labeled.run("return explorer.selected") == -1


def test_hover_names_the_node(labeled: Page) -> None:
    labeled.pointer(13).perform()
    labeled.wait_for("return !tip.hidden")
    assert labeled.run("return tip.textContent").startswith("node-13")


def test_click_on_a_neighbor_moves_to_it(labeled: Page) -> None:
    labeled.run("explorer.select(7)")
    labeled.row(12).click()
    assert labeled.run("return explorer.selected") == 12
    middle = "const [x, y] = explorer.pixelOf(12);" + (
        "return Math.hypot(x - stage.clientWidth / 2, y - stage.clientHeight / 2) < 1"
    )
    labeled.wait_for(middle)


def test_lowest_saliency_can_come_first(labeled: Page) -> None:
    labeled.run("explorer.select(7)")
    labeled.chrome.find_element(By.CSS_SELECTOR, "#panel h4 button").click()
    first = labeled.chrome.find_element(By.CSS_SELECTOR, "#panel output")
    assert first.text == "0.250"


def test_search_by_keyboard_finds_a_node_and_escape_lets_it_go(labeled: Page) -> None:
    keys = ActionChains(labeled.chrome)
    keys.send_keys("/", "node-2", Keys.ENTER).perform()
    assert labeled.run("return explorer.selected") == 2
    keys = ActionChains(labeled.chrome).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL)
    keys.send_keys("node-2", Keys.ARROW_DOWN, Keys.ENTER).perform()
    assert labeled.run("return explorer.selected") == 20  # the next that begins so
    ActionChains(labeled.chrome).send_keys(Keys.ESCAPE, Keys.ESCAPE).perform()
    assert labeled.run("return explorer.selected") == -1


def test_search_for_what_is_not_there_says_so(labeled: Page) -> None:
    ActionChains(labeled.chrome).send_keys("/", "nobody", Keys.ENTER).perform()
    assert labeled.run("return matches.textContent") == "no such node, class or feature"
    assert labeled.run("return explorer.selected") == -1


def test_wheel_zooms_where_the_pointer_is_and_a_drag_moves(labeled: Page) -> None:
    gap = "const [a, b] = [explorer.pixelOf(6), explorer.pixelOf(7)]; return b[0] - a[0]"
    before, place = labeled.run(gap), labeled.run("return explorer.pixelOf(6)")
    labeled.pointer(6).perform()
    labeled.run(
        "const box = stage.getBoundingClientRect(), [x, y] = explorer.pixelOf(6);"
        "stage.dispatchEvent(new WheelEvent('wheel', {deltaY: -400, cancelable: true,"
        "clientX: box.left + 1 + x, clientY: box.top + 1 + y}))"
    )
    assert labeled.run(gap) > 1.5 * before
    assert labeled.run("return explorer.pixelOf(6)") == pytest.approx(place, abs=1)
    labeled.pointer(6).click_and_hold().move_by_offset(50, 30).release().perform()
    moved = np.array(labeled.run("return explorer.pixelOf(6)")) - place
    assert moved == pytest.approx([50, 30], abs=2)
    assert labeled.run("return explorer.selected") == -1


def test_legend_sets_other_groups_back(labeled: Page) -> None:
    labeled.chrome.find_element(By.CSS_SELECTOR, '#legend [data-group="0"]').click()
    assert labeled.pixel(1)[3] > 200
    assert labeled.pixel(2)[3] < 60
    labeled.chrome.find_element(By.CSS_SELECTOR, '#legend [data-group="0"]').click()
    assert labeled.pixel(2)[3] > 200


def test_color_by_cluster_and_degree(labeled: Page) -> None:
    by_class = labeled.pixel(4)
    labeled.color_by("Cluster")
    assert labeled.pixel(4) != by_class
    assert labeled.pixel(4) == labeled.pixel(1)
    labeled.color_by("Degree")
    assert labeled.pixel(4) == labeled.pixel(0)
    assert "2neighbors" in labeled.legend()


def test_color_by_saliency_and_by_a_feature(labeled: Page) -> None:
    labeled.color_by("Saliency")
    assert labeled.pixel(1) != labeled.pixel(24)
    none = labeled.run("return colors.none")
    *color, opacity = labeled.pixel(0)  # has no edges
    assert color == pytest.approx([value * opacity / 255 for value in none], abs=3)
    labeled.color_by("age")
    assert labeled.legend() == "1061age"
    assert labeled.pixel(1) == labeled.pixel(2) != labeled.pixel(0) != labeled.pixel(6)
    labeled.pointer(6).click().perform()
    assert "age61" in labeled.panel()


def test_color_by_search_follows_what_is_typed(labeled: Page) -> None:
    labeled.color_by("Search")
    assert "Type into the search box" in labeled.legend()
    ActionChains(labeled.chrome).send_keys("/", "node-1").perform()
    assert labeled.legend() == "11 of 25 nodes match “node-1”"
    assert labeled.pixel(12)[3] > 200
    assert labeled.pixel(2)[3] < 60
    for _ in range(len("node-1")):
        ActionChains(labeled.chrome).send_keys(Keys.BACKSPACE).perform()
    ActionChains(labeled.chrome).send_keys("law").perform()
    assert labeled.legend() == "8 of 25 nodes match “law”"
    assert labeled.pixel(2)[3] > 200


def test_search_finds_classes_and_features(labeled: Page) -> None:
    ActionChains(labeled.chrome).send_keys("/", "la").perform()
    first = labeled.chrome.find_element(By.CSS_SELECTOR, "#matches li").text
    assert first.split() == ["law", "class", "of", "8", "nodes"]
    ActionChains(labeled.chrome).send_keys(Keys.ENTER).perform()
    assert labeled.pixel(2)[3] > 200
    assert labeled.pixel(1)[3] < 60
    ActionChains(labeled.chrome).send_keys(Keys.ESCAPE, "age", Keys.ENTER).perform()
    assert labeled.run("return byId('colors').value") == "feature:1"


def test_matching_nodes_can_all_be_colored_from_the_list(labeled: Page) -> None:
    ActionChains(labeled.chrome).send_keys("/", "node-1").perform()
    last = labeled.chrome.find_elements(By.CSS_SELECTOR, "#matches li")[-1]
    assert last.text == "color all 11 matching nodes"
    ActionChains(labeled.chrome).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
    assert labeled.run("return byId('colors').value") == "search"


def test_lowest_edges_are_listed_and_a_click_shows_the_edge(labeled: Page) -> None:
    buttons = labeled.chrome.find_elements(By.CSS_SELECTOR, "#lowest button")
    assert len(buttons) == 12
    assert buttons[3].text.split() == ["node-3", "–", "node-4", "0.130", "no", "label", "–", "art"]
    buttons[3].click()
    assert labeled.run("return [explorer.selected, state.other]") == [3, 4]
    inside = """return [3, 4].every((i) => {
        const [x, y] = explorer.pixelOf(i);
        return x > 0 && y > 0 && x < stage.clientWidth && y < stage.clientHeight;
    })"""
    labeled.wait_for(inside)
    assert buttons[3].get_attribute("aria-pressed") == "true"
    more = labeled.chrome.find_element(By.ID, "more-edges")
    labeled.run("byId('more-edges').scrollIntoView({ block: 'center', behavior: 'instant' })")
    more.click()
    assert len(labeled.chrome.find_elements(By.CSS_SELECTOR, "#lowest button")) == 20
    assert not more.is_displayed()


def test_selected_node_stands_in_the_address(labeled: Page) -> None:
    labeled.pointer(7).click().perform()
    assert labeled.chrome.current_url == labeled.url + "#node=node-7"
    labeled.row(12).click()
    assert labeled.chrome.current_url == labeled.url + "#node=node-12"
    labeled.chrome.back()
    labeled.wait_for("return explorer.selected === 7")
    labeled.chrome.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    assert labeled.run("return explorer.selected") == -1
    assert labeled.chrome.current_url == labeled.url


@pytest.mark.parametrize("name", ["node 13/é&#%", "<b>", "名前"])
def test_address_selects_its_node(chrome: Chrome, tmp_path: Path, name: str) -> None:
    ids = [name if i == 13 else f"plain {i}" for i in range(25)]
    page = Page(chrome, tmp_path / "page.html", explorer(ids=ids))
    chrome.get("about:blank")
    chrome.get(f"{page.url}#node={quote(name, safe='')}")
    assert page.run("return explorer.selected") == 13
    assert name in page.panel()
    assert page.errors() == []


@pytest.mark.parametrize("end", ["#node=nobody", "#node=%E0%A4%A", "#else"])
def test_address_of_no_node_selects_none(labeled: Page, end: str) -> None:
    labeled.chrome.get("about:blank")
    labeled.chrome.get(labeled.url + end)
    assert labeled.run("return explorer.selected") == -1
    assert ("not on this page" in labeled.panel()) == end.startswith("#node=")
    assert labeled.errors() == []


def test_nodes_in_color_are_saved_as_a_table(chrome: Chrome, tmp_path: Path) -> None:
    ids = ['a,"b"', "=1", *(f"node-{i}" for i in range(2, 25))]
    labels = np.arange(25) % 3 - 1
    shown = explorer(ids=ids, labels=labels, class_names=["art", "law"])
    page = Page(chrome, tmp_path / "page.html", shown)
    name, text = page.saved("save-nodes")
    assert name == "nodes.csv"
    table = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in table] == ids
    assert table[0]["class"] == table[0]["mean_saliency"] == ""
    assert table[1] == {
        **{"id": "=1", "class": "art", "cluster": "1", "degree": "2", "mean_saliency": "0.04"},
        **{"x": "-0.5", "y": "-1"},
    }
    page.run("pickClass(1)")
    assert {row["class"] for row in csv.DictReader(io.StringIO(page.saved("save-nodes")[1]))} == {
        "law"
    }
    page.color_by("age")
    table = list(csv.DictReader(io.StringIO(page.saved("save-nodes")[1])))
    assert [float(table[i]["age"]) for i in (0, 1, 6)] == pytest.approx([10, 30, 61])


def test_selected_node_and_lowest_edges_are_saved_as_tables(labeled: Page) -> None:
    labeled.run("explorer.select(7)")
    name, text = labeled.saved("save-node")
    assert name == "node.csv"
    assert text.splitlines() == [
        "node,kind,other,class,value",
        "node-7,neighbor,node-8,law,1.0000",
        "node-7,neighbor,node-6,,0.2500",
        "node-7,nearest,node-9,,0.5000",
        "node-7,nearest,node-12,,0.5000",
    ]
    labeled.run("byId('save-edges').scrollIntoView({ block: 'center', behavior: 'instant' })")
    name, text = labeled.saved("save-edges")
    assert name == "lowest-edges.csv"
    assert text.splitlines()[:2] == ["source,target,saliency", "node-0,node-1,0.1000"]
    assert len(text.splitlines()) == 21


def test_view_is_saved_as_a_picture(labeled: Page, tmp_path: Path) -> None:
    labeled.run("explorer.select(7)")
    downloads = tmp_path / "downloads"
    place = {"behavior": "allow", "downloadPath": str(downloads)}
    labeled.chrome.execute_cdp_cmd("Browser.setDownloadBehavior", place)
    labeled.chrome.find_element(By.ID, "save-view").click()
    WebDriverWait(labeled.chrome, PATIENCE).until(lambda _: (downloads / "map.png").exists())
    image = imread(downloads / "map.png")
    assert image.shape[1] > labeled.run("return stage.clientWidth")
    x, y = labeled.run("return explorer.pixelOf(1)")
    top = image.shape[0] - labeled.run("return stage.clientHeight") - 14
    drawn, hue = image[round(top + y), round(14 + x), :3], labeled.run("return colors.hues[0]")
    # Over the white card at an opacity of 0.85.
    wanted = 0.85 * np.array(hue) / 255 + 0.15
    assert drawn == pytest.approx(wanted, abs=0.02)
    assert labeled.errors() == []


def test_groups_beyond_the_hues_have_shapes_of_their_own(chrome: Chrome, tmp_path: Path) -> None:
    many = explorer(7, labels=np.arange(49), class_names=[f"topic {i}" for i in range(49)])
    page = Page(chrome, tmp_path / "page.html", many)
    looks = page.run("return [...scatter.looks]")
    distinct = {tuple(looks[4 * i : 4 * i + 4]) for i in range(40)}
    assert len(distinct) == 40
    assert page.errors() == []


def test_hostile_names_are_text(chrome: Chrome, tmp_path: Path) -> None:
    ids = [*ATTACKS, *(f"plain {i}" for i in range(22))]
    shown = explorer(ids=ids, labels=np.arange(25) % 3, class_names=ATTACKS, name=ATTACKS[1])
    page = Page(chrome, tmp_path / "page.html", shown)
    for node, name in enumerate(ATTACKS):
        page.run(f"explorer.select({node})")
        assert page.run("return panel.querySelector('h3').textContent").strip() == name
        page.pointer(node).perform()
        assert page.run("return tip.querySelector('b').textContent") == name
    ActionChains(chrome).send_keys("/", "<script>").perform()
    options = page.run("return [...matches.children].map((li) => li.firstChild.textContent)")
    # The class, the node, and all that are of one or called so.
    assert options == [ATTACKS[0], ATTACKS[0], "color all 9 matching nodes"]
    page.run("search.blur()")
    page.color_by(ATTACKS[1])
    assert page.legend().endswith(ATTACKS[1])
    assert ATTACKS[0] in page.run("return byId('lowest').textContent")
    assert chrome.title == ATTACKS[1]
    assert page.run("return typeof hacked") == "undefined"
    assert page.run("return document.images.length") == 0
    assert page.errors() == []
    assert page.requests() in ([page.url], [page.url, "data:,"])


def test_injected_script_would_be_refused(labeled: Page) -> None:
    labeled.run(
        "const s = document.createElement('script'); s.textContent = 'hacked = 1';"
        "document.body.append(s)"
    )
    assert labeled.run("return typeof hacked") == "undefined"
    assert any("Content Security Policy" in message for message in labeled.errors())


def test_without_labels_nodes_are_colored_by_cluster(chrome: Chrome, tmp_path: Path) -> None:
    page = Page(chrome, tmp_path / "page.html", explorer())
    options = chrome.find_elements(By.CSS_SELECTOR, "#colors > option")
    assert [one.text for one in options] == ["Cluster", "Degree", "Saliency", "Search"]
    assert "cluster 0" in page.legend()
    page.pointer(3).click().perform()
    assert "Class" not in page.panel()
    assert page.errors() == []


LONG = "a very long name of a node that nobody can read in one line of a telephone " * 2


@pytest.mark.parametrize("long", [False, True])
def test_telephone_shows_everything_without_scrolling_sideways_or_cutting_text(
    chrome: Chrome, tmp_path: Path, long: bool
) -> None:
    ids = [f"{LONG if long else 'node'}{i}" for i in range(25)]
    names = [LONG if long else "art", "law"]
    shown = explorer(ids=ids, labels=np.arange(25) % 3 - 1, class_names=names)
    page = Page(chrome, tmp_path / "page.html", shown)
    with narrow(page):
        page.wait_for("return scatter.width === stage.clientWidth")
        boxes = "return [stage, panel].map((one) => one.getBoundingClientRect().toJSON())"
        stage, panel = page.run(boxes)
        assert panel["top"] >= stage["bottom"]
        page.run("stage.scrollIntoView({ block: 'center', behavior: 'instant' })")
        page.pointer(7).click().perform()
        assert page.run("return explorer.selected") == 7
        page.run("search.value = 'a'; offer()")
        assert cut(page) == []


def test_dark_follows_the_system(labeled: Page) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    light, node = labeled.run(background), labeled.pixel(1)
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    labeled.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    try:
        assert labeled.run(background) != light
        WebDriverWait(labeled.chrome, PATIENCE).until(lambda _: labeled.pixel(1) != node)
    finally:
        labeled.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_page_works_without_webgl(chrome: Chrome, tmp_path: Path) -> None:
    hide = "HTMLCanvasElement.prototype.getContext = ((get) => function (kind, more) {" + (
        "return kind === 'webgl' ? null : get.call(this, kind, more) })"
        "(HTMLCanvasElement.prototype.getContext)"
    )
    added = chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": hide})
    try:
        page = Page(chrome, tmp_path / "page.html", explorer())
        assert not page.run("return explorer.webgl")
        script = """
            explorer.draw();
            const [x, y] = explorer.pixelOf(8);
            const pen = stage.querySelector("canvas").getContext("2d");
            return pen.getImageData(x, y, 1, 1).data[3];"""
        assert page.run(script) > 200
        page.pointer(8).click().perform()
        assert page.run("return explorer.selected") == 8
        assert page.errors() == []
    finally:
        chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_ten_thousand_points_are_drawn_and_found(chrome: Chrome, tmp_path: Path) -> None:
    page = Page(chrome, tmp_path / "page.html", explorer(100))
    assert page.run("return explorer.count") == 10_000
    assert page.pixel(5050)[3] > 100
    picked = "const [x, y] = explorer.pixelOf({0}); return scatter.pick(x, y, 12)"
    for node in (0, 99, 4321, 9999):
        assert page.run(picked.format(node)) == node
    assert page.errors() == []
