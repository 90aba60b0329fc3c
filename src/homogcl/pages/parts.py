"""Parts that every page is built of: its frame, data that scripts read, lists, figures.

A page is one HTML file that asks nothing of the network; every string in it is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from string import Template

import numpy as np
import numpy.typing as npt

from homogcl.pages.charts import SaliencyHistogram, agreement_chart, counts_chart

_SHARED_SCRIPTS = ("page", "scatter", "navigation")  # each relies on those before it
_KINDS = {
    "f4": "Float32",
    "i4": "Int32",
    "u4": "Uint32",
    "u2": "Uint16",
    "i2": "Int16",
    "u1": "Uint8",
}


def fill_page(
    name: str, values: Mapping[str, str], blocks: Iterable[str], scripts: Sequence[str]
) -> str:
    """Return the text of the page whose template is `NAME.html`.

    Scripts and styles run by their hashes, so that nothing else on the page ever can. `values` are
    the escaped texts of the template's placeholders and of the title, `blocks` data that scripts
    read, and each of the page's own `scripts` relies on those before it.
    """
    style, texts = _file("page.css"), [_file(f"{each}.js") for each in (*_SHARED_SCRIPTS, *scripts)]
    return Template(_file("page.html")).substitute(
        policy=_policy(texts, style),
        style=style,
        title=values["title"],
        body=Template(_file(f"{name}.html")).substitute(values),
        blocks="\n".join(blocks),
        scripts="\n".join(f"<script>{text}</script>" for text in texts),
    )


def json_block(ident: str, value: object) -> str:
    """Return `value` as JSON in a block that no browser runs."""
    return f'<script type="application/json" id="{ident}">{embedded_json(value)}</script>'


def embedded_json(value: object) -> str:
    """Return `value` as JSON that cannot end or open a tag where it stands inside a page."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def array_block(name: str, values: npt.NDArray[np.generic]) -> str:
    """Return an array in a block that no browser runs."""
    kind, text = _KINDS[values.dtype.str[1:]], base64.b64encode(values.tobytes()).decode()
    return f'<script type="text/plain" id="array-{name}" data-kind="{kind}">{text}</script>'


def pairs(values: Mapping[str, str]) -> str:
    """Return named values as the inside of a definition list."""
    return "\n".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
        for name, value in values.items()
    )


def sentences(texts: Sequence[str]) -> str:
    """Return texts as the inside of a list."""
    return "\n".join(f"<li>{html.escape(text)}</li>" for text in texts)


def figure(title: str, content: str, key: Sequence[tuple[str, str]] = ()) -> str:
    """Return a figure, `content` as HTML, under its title.

    The key has the class of each color in the style sheet, and its meaning in plain text.
    """
    parts = [f"<h3>{html.escape(title)}</h3>"]
    if key:
        colors = (
            f'<span><i class="{color}"></i>{html.escape(meaning)}</span>' for color, meaning in key
        )
        parts.append(f'<div class="key">{"".join(colors)}</div>')
    return "\n".join(["<figure>", *parts, content, "</figure>"])


def saliency_figures(bins: SaliencyHistogram) -> str:
    """Return edges by saliency: their number and, where there are labels, their agreement."""
    has_labels = bool(bins.labeled.sum())
    key = [(kind.name, kind.meaning) for kind in bins.kinds()] if has_labels else []
    figures = [figure("Edges by saliency (logarithmic)", counts_chart(bins), key)]
    if has_labels:
        figures.append(figure("Share of edges within one class", agreement_chart(bins)))
    return "\n".join(figures)


def _file(name: str) -> str:
    """Return a file that pages are made of."""
    return resources.files("homogcl.pages").joinpath(name).read_text("utf-8")


def _policy(scripts: Iterable[str], style: str) -> str:
    """Return the content security policy: nothing is loaded, and only these scripts run."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash_source, scripts))}",
            f"style-src {_hash_source(style)}",
            "img-src data:",  # the empty icon, without which a browser asks a server for one
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
