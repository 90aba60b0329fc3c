"""How Sphinx builds the site."""

from __future__ import annotations

from typing import Any

import homogcl

project = "homogcl"
author = "homogcl contributors"
release = homogcl.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "homogcl"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_use_ivar = True


def formulas_stay_as_written(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turn the indented formulas of a docstring into literal blocks."""
    section = False
    result: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            # What is indented below "Args:" and the like is a list, not a formula.
            section = line.endswith(":") and line.rstrip(":") in {
                "Args",
                "Attributes",
                "Raises",
                "Returns",
                "Yields",
            }
        begins = line.startswith("    ") and not section
        if begins and result and not result[-1]:
            above = next((each for each in reversed(result) if each), "")
            if not above.startswith("    ") and above != "::":
                result += ["::", ""]
        result.append(line)
    lines[:] = result


def setup(app: Any) -> None:
    """Have docstrings prepared before anything else reads them."""
    app.connect("autodoc-process-docstring", formulas_stay_as_written, priority=1)
