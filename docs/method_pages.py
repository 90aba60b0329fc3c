"""Write one page per method and plug-in from its docstring, its settings and its presets.

`python docs/method_pages.py` writes them; with `--check` it names those that are out of date.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from homogcl.core.config import Config
from homogcl.methods.names import PLUGINS
from homogcl.methods.registry import method_class, method_names, plugin
from homogcl.presets.sections import preset_names

FOLDER = Path(__file__).parent / "methods"
# Of the plug-ins that share a class, the one whose name fixes no setting has its page.
PLUGIN_PAGES = [name for name, shipped in PLUGINS.items() if not shipped.settings]


def page(name: str) -> str:
    """Return the page of a method or of a plug-in as Markdown."""
    is_plugin = name in PLUGIN_PAGES
    described = plugin(name).wrap if is_plugin else method_class(name)
    lines = [
        f"# {described.name}",
        "",
        f"`+{name}`" if is_plugin else f"`{name}`",
        "",
        "```text",
        inspect.getdoc(described) or "",
        "```",
        "",
    ]
    lines += ["## Settings", "", *_settings(described.Config), "", "## Presets", ""]
    family = plugin(name).presets if is_plugin else name
    return "\n".join([*lines, *_presets(name, family)]) + "\n"


def pages() -> dict[Path, str]:
    """Return every page by the file it belongs in."""
    return {FOLDER / f"{name}.md": page(name) for name in [*method_names(), *PLUGIN_PAGES]}


def stale() -> list[str]:
    """Return the names of pages that are missing or say something else than the code."""
    return [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]


def _presets(name: str, family: str) -> list[str]:
    if family != name:
        return [f"Those of [`+{family}`]({family}.md), as far as they are settings of its own."]
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
