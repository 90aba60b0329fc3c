"""The notebook of the docs: `python docs/notebook.py` runs it and writes what its cells show.

`python docs/notebook.py PAGE.html` writes it as a page to look at instead.

Cells run one after another in this process, as a notebook's kernel would run them: what a cell
prints, the value of its last line and its figures are what it shows.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
from markdown_it import MarkdownIt

NOTEBOOK = Path(__file__).parent / "first-minute.ipynb"
Notebook = dict[str, Any]


def read(path: Path = NOTEBOOK) -> Notebook:
    """Return a notebook."""
    notebook: Notebook = json.loads(path.read_text("utf-8"))
    return notebook


def run(notebook: Notebook) -> Notebook:
    """Return the notebook with what its cells show when they are run from top to bottom."""
    mpl.use("Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        number += 1
        outputs = _outputs("".join(cell["source"]), names, number)
        cells.append({**cell, "execution_count": number, "outputs": outputs})
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell and return what it shows, in the form of nbformat 4."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body[-1] if tree.body else None
    statements = tree.body[:-1] if isinstance(last, ast.Expr) else tree.body
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(True)})
    if value is not None:
        outputs.append(
            _shown("execute_result", {"text/plain": repr(value)}, execution_count=number)
        )
    return outputs + _figures()


def _figures() -> list[dict[str, Any]]:
    """Return the figures that a cell drew, and close them."""
    from matplotlib import pyplot

    pictures = []
    for figure in map(pyplot.figure, pyplot.get_fignums()):
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=70, bbox_inches="tight", metadata={"Software": None})
        pictures.append(
            _shown("display_data", {"image/png": base64.b64encode(file.getvalue()).decode()})
        )
    pyplot.close("all")
    return pictures


def _shown(kind: str, data: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"output_type": kind, "data": data, "metadata": {}, **more}


STYLE = """
body { max-width: 46rem; margin: 0 auto; padding: 1rem .8rem 3rem;
  font: 16px/1.5 system-ui, sans-serif; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .84rem;
  margin: .4rem 0; padding: .6rem .8rem; }
pre.code { background: #f2f4f7; border-left: 3px solid #3563b8; }
img { max-width: 100%; }
"""


def page(notebook: Notebook) -> str:
    """Return a notebook as a page: texts, cells and what they show, from top to bottom."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(MarkdownIt().render(source))
            continue
        parts.append(f'<pre class="code">{html.escape(source)}</pre>')
        parts += [_shown_html(output) for output in cell["outputs"]]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    title = f"<title>The first minute</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}{title}</head><body>{''.join(parts)}</body>"


def _shown_html(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="Figure of the cell" src="data:image/png;base64,{data["image/png"]}">'
    return f"<pre>{html.escape(''.join(output.get('text') or data['text/plain']))}</pre>"


def main() -> None:
    """Run the notebook in an empty folder and write it with what it shows."""
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page(read()), "utf-8")
        return
    notebook, home = read(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            notebook = run(notebook)
        finally:
            os.chdir(home)
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
