"""Write `catalog.json` from the classes of methods and plug-ins.

`python docs/settings_catalog.py` writes it; with `--check` it fails if the file is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from homogcl.core.config import Config
from homogcl.data.load import DataConfig
from homogcl.methods.forms import EmbeddingConfig
from homogcl.methods.names import METHODS, PLUGINS
from homogcl.methods.registry import method_class, plugin, plugins_of, summary
from homogcl.presets.catalog import FILE
from homogcl.training.loop import TrainConfig


def catalog_text() -> str:
    """Return the text that `catalog.json` should have, one line per setting."""
    content = {
        "methods": {name: _method(name) for name in METHODS},
        "plugins": {name: _settings(plugin(name).wrap.Config) for name in PLUGINS},
        "training": _settings(TrainConfig),
        "data": _settings(DataConfig) | _settings(EmbeddingConfig),
    }
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    return re.sub(r'\{\s+("default": .*)\s+("type": .*)\s+\}', r"{\1 \2}", text) + "\n"


def _method(name: str) -> dict[str, object]:
    method = method_class(name)
    return {
        "summary": summary(name),
        "training_data": method.training_data,
        "takes_positives": bool(method.combines),
        "plugins": [each for each in plugins_of(method) if each in PLUGINS],
        "settings": _settings(method.Config),
    }


def _settings(model: type[Config]) -> dict[str, dict[str, object]]:
    return {
        key: {"default": field.default, "type": type_text(field.annotation)}
        for key, field in model.model_fields.items()
    }


def type_text(annotation: Any) -> str:
    """Return a type as Python writes it, without the limits of its values.

    >>> type_text(Literal["exact", "sampled"] | None), type_text(tuple[int, ...])
    ("'exact' | 'sampled' | None", 'tuple[int, ...]')
    """
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(map(repr, inside))
    if origin is Annotated:
        return type_text(inside[0])
    if origin is tuple:
        return f"tuple[{', '.join(map(type_text, inside))}]"
    if inside:
        return " | ".join(map(type_text, inside))
    names = {NoneType: "None", Ellipsis: "..."}
    return names.get(annotation) or str(annotation.__name__)


if __name__ == "__main__":
    text = catalog_text()
    if "--check" not in sys.argv:
        FILE.write_text(text, "utf-8")
    elif text != FILE.read_text("utf-8"):
        sys.exit("catalog.json is out of date: run python docs/settings_catalog.py")
