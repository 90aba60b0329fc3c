"""Pictures of pages for the docs: `python -m docs.gallery` trains, writes pages and looks at them.

It needs chromium, chromedriver and the data sets Cora and Photo, and takes some minutes.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.support.ui import WebDriverWait

from docs import notebook
from homogcl import Request, train_run
from homogcl.pages.demo import demo
from homogcl.pages.explore import explore
from homogcl.pages.explore_page import write_page
from homogcl.runs.folder import RunFolder

IMAGES = Path(__file__).parent / "images"
WIDE, NARROW = (1280, 860), (390, 844)
FLAGS = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking"),
    *("--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
)


@dataclass(frozen=True)
class Picture:
    """A page as it is seen after a script has run on it."""

    name: str
    page: str  # a data set, demo or notebook
    size: tuple[int, int]
    script: str = ""


PICTURES = (
    Picture("explore", "cora", WIDE, "explorer.select(17, true)"),
    Picture("gallery-cora-edge", "cora", WIDE, "selectEdge(0); byId('map-title').scrollIntoView()"),
    Picture("gallery-cora-edges", "cora", WIDE, "byId('saliency').scrollIntoView()"),
    Picture("gallery-photo", "photo", WIDE),
    Picture("gallery-photo-saliency", "photo", WIDE, "colorBy('saliency')"),
    Picture("gallery-cora-telephone", "cora", NARROW, "explorer.select(17, true)"),
    Picture("gallery-demo-telephone", "demo", NARROW),
    Picture("gallery-notebook", "notebook", WIDE, "scrollTo(0, 1000)"),
    Picture("gallery-notebook-telephone", "notebook", NARROW, "scrollTo(0, 1400)"),
)


def main() -> None:
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as place, _browser() as chrome:
        pages = {data: _page(Path(place), data) for data in {each.page for each in PICTURES}}
        for picture in PICTURES:
            _save(chrome, picture, pages[picture.page])


def _page(place: Path, data: str) -> Path:
    if data == "demo":
        return demo(place / data)
    if data == "notebook":
        path = place / "notebook.html"
        path.write_text(notebook.page(notebook.read()), "utf-8")
        return path
    train_run(Request("homogcl", data).resolve(), place / data)
    path = place / f"{data}.html"
    write_page(path, explore(RunFolder(place / data)))
    return path


@contextmanager
def _browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    chrome = Chrome(options, ChromeService(shutil.which("chromedriver") or ""))
    try:
        yield chrome
    finally:
        chrome.quit()


def _save(chrome: Chrome, picture: Picture, page: Path) -> None:
    width, height = picture.size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    chrome.get("about:blank")
    chrome.get(page.as_uri())
    chrome.execute_script(f"began = performance.now(); {picture.script}")
    # A move on the map takes 0.3 seconds.
    WebDriverWait(chrome, 30).until(
        lambda _: chrome.execute_script("return performance.now() - began > 1000")
    )
    image = Image.open(io.BytesIO(chrome.get_screenshot_as_png())).convert("RGB")
    image.save(IMAGES / f"{picture.name}.png", optimize=True)


if __name__ == "__main__":
    main()
