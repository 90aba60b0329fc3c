"""A page in a real browser."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60  # seconds, for a machine that is busy with something else


class Tab:
    """A page in the browser, as a person and its developer tools see it."""

    def __init__(self, chrome: Chrome, path: Path, text: str) -> None:
        self.chrome = chrome
        self.url = path.as_uri()
        path.write_text(text, encoding="utf-8")
        self.log("browser"), self.log("performance")  # what earlier pages left
        chrome.get(self.url)

    def run(self, script: str) -> Any:
        return self.chrome.execute_script(script)

    def log(self, kind: str) -> list[str]:
        """The messages of one of the browser's logs since it was last read."""
        entries = self.chrome.get_log(kind)  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries]

    def errors(self) -> list[str]:
        return self.log("browser")

    def requests(self) -> list[str]:
        """Every address that was asked for since the page was opened."""
        events = [json.loads(message)["message"] for message in self.log("performance")]
        sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def wait_for(self, script: str) -> None:
        WebDriverWait(self.chrome, PATIENCE).until(lambda _: self.run(script))


@contextmanager
def narrow(tab: Tab, width: int = 390) -> Iterator[None]:
    """Show a page as wide as a telephone."""
    metrics = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": False}
    tab.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        tab.wait_for(f"return innerWidth === {width}")
        yield
    finally:
        tab.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def cut(tab: Tab) -> list[str]:
    """What does not fit: elements wider than they show, and elements beyond the window's edges."""
    beyond: list[str] = tab.run("""
        const width = document.documentElement.clientWidth, beyond = [];
        if (document.documentElement.scrollWidth > innerWidth) beyond.push("page");
        for (const one of document.body.querySelectorAll("*")) {
            const box = one.getBoundingClientRect(), style = getComputedStyle(one);
            if (!box.width || one.closest("canvas, input, script, select, svg")) continue;
            const name = one.tagName + ": " + one.textContent.trim().slice(0, 60);
            if (box.left < -1 || box.right > width + 1) beyond.push(name + " beyond the edge");
            const hides = style.overflowX !== "visible";
            if (hides && one.scrollWidth > one.clientWidth + 1) beyond.push(name + " cut");
        }
        return beyond;""")
    return beyond
