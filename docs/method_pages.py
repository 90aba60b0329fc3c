"""Write one page per method and plug-in from its docstring, its settings and its presets.

`python docs/method_pages.py` writes them; with `--check` it names those that are out of date.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from homogcl.core.config import Config
from homogcl.methods.names import PLUGINS
from homogcl.methods.registry import method_class, method_names, plugin
from homogcl.presets.sections import preset_names

FOLDER = Path(__file__).parent / "methods"
FILES = "plugin-{}.md"  # of plug-ins, one of which has the name of a method
# Of the plug-ins that share a class, the one whose name fixes no setting has its page.
PLUGIN_PAGES = [name for name, shipped in PLUGINS.items() if not shipped.settings]


def method_page(name: str) -> str:
    """Return the page of a method as Markdown."""
    return _page(method_class(name), f"`{name}`", _presets(name))


def plugin_page(name: str) -> str:
    """Return the page of a plug-in as Markdown."""
    family = plugin(name).presets
    shared = f"Those of [`+{family}`]({FILES.format(family)}), as far as they are its settings."
    presets = _presets(f"+{name}") if family == name else [shared]
    return _page(plugin(name).wrap, f"`+{name}`", presets)


def _page(described: Any, name: str, presets: list[str]) -> str:
    lines = [f"# {described.name}", "", name, ""]
    lines += ["```text", inspect.getdoc(described) or "", "```", ""]
    lines += ["## Settings", "", *_settings(described.Config), "", "## Presets", "", *presets]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Return every page by the file it belongs in."""
    return {
        **{FOLDER / f"{name}.md": method_page(name) for name in method_names()},
        **{FOLDER / FILES.format(name): plugin_page(name) for name in PLUGIN_PAGES},
    }


def stale() -> list[str]:
    """Return the names of pages that are missing or say something else than the code."""
    return [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]


def _presets(name: str) -> list[str]:
    presets = [(section, source) for method, section, source in preset_names() if method == name]
    rows = [f"| `{section}` | {source} |" for section, source in presets]
    return ["| section | source |", "|---|---|", *rows]


def _settings(model: type[Config]) -> list[str]:
    if not model.model_fields:
        return ["None of its own."]
    rows = [f"| `{key}` | `{field.default!r}` |" for key, field in model.model_fields.items()]
    return ["| setting | default |", "|---|---|", *rows]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(stale())}" if stale() else 0)
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")
