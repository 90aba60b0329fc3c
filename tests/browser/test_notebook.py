"""The notebook of the docs as a page in a real browser."""

from pathlib import Path

from selenium.webdriver import Chrome

from docs import notebook
from tests.tab import Tab, cut, narrow


def test_notebook_fits_a_screen_and_a_telephone(chrome: Chrome, tmp_path: Path) -> None:
    tab = Tab(chrome, tmp_path / "notebook.html", notebook.page(notebook.read()))
    tab.wait_for("return [...document.images].every((image) => image.naturalWidth > 300)")
    assert tab.run("return document.querySelectorAll('pre.code').length") == 5
    for width in (1280, 390):
        with narrow(tab, width):
            assert cut(tab) == []
    assert tab.errors() == []
