"""Values inside a page."""

from __future__ import annotations

import json


def embedded_json(value: object) -> str:
    """Return `value` as JSON that cannot end or open a tag where it stands inside a page."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
