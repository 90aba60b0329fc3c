"""A browser for tests of pages."""

import os
import shutil
from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1200,900",
)


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    if BROWSER is None or DRIVER is None:
        message = "needs chromium and chromedriver"
        if os.environ.get("HOMOGCL_NEED_CHROMIUM"):
            pytest.fail(message)
        pytest.skip(message)
    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options, ChromeService(DRIVER))
    driver.get("about:blank")  # not the browser's own page of suggestions
    yield driver
    driver.quit()
