"""A page in a real browser."""

import json
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
