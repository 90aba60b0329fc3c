"""Write one page a method from its docstring, its settings and its presets.

`python docs/method_pages.py` writes them; with `--check` it names those that are out of date.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from homogcl.core.config import Config
from homogcl.methods.registry import method_class, method_names, plugin
from homogcl.presets.sections import preset_names

FOLDER = Path(__file__).parent / "methods"


def page(name: str) -> str:
    """Return the page of a method or of the plug-in as Markdown."""
    made = plugin(name).wrap if name == "homogcl" else method_class(name)
    lines = [
        f"# {made.name}",
        "",
        f"`{name}`",
        "",
        "```text",
        inspect.getdoc(made) or "",
        "```",
        "",
    ]
    lines += ["## Settings", "", *_settings(made.Config), ""]
    presets = [(section, source) for method, section, source in preset_names() if method == name]
    lines += ["## Presets", "", "| section | source |", "|---|---|"]
    lines += [f"| `{section}` | {source} |" for section, source in presets]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Return every page by the file it belongs in."""
    return {FOLDER / f"{name}.md": page(name) for name in [*method_names(), "homogcl"]}


def stale() -> list[str]:
    """Return the names of pages that are missing or say something else than the code."""
    return [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]


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
