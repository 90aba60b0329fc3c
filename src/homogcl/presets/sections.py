"""Presets as their files have them: one TOML file per method, one section per data set.

A file's section `[default]` holds for every graph, `[cora]` for that data set, and
`["cora/official"]` is an alternative that is taken by its name, `official`. `["default/large"]`
applies by itself to large graphs that no preset is written for. The settings of
`grace+homogcl` are those of `grace`, then those of `homogcl`, then those of the file
`grace+homogcl` where there is one: what comes later prevails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from homogcl.core.errors import UnknownName
from homogcl.methods.names import preset_name, split_name

Sections = dict[str, dict[str, object]]

NO_DATA_SET = ""  # no section has this name, so that a method's defaults hold
LARGE = "large"
LARGE_NODES = 5_000  # between CiteSeer, whose preset compares all pairs, and Photo, whose does not


def preset_settings(
    method: str, data: str, preset: str | None = None
) -> tuple[dict[str, object], str]:
    """Return the settings that presets give a method on a data set, and their sources.

    Args:
        method: A method's name, with plug-ins behind plus signs.
        data: A data set's name; an unknown one gets the method's defaults.
        preset: An alternative's name, such as `official`; it may be of the data set or, like
            `large`, of all graphs.
    """
    settings: dict[str, object] = {}
    sources: list[str] = []
    section = data if preset is None else f"{data}/{preset}"
    general = f"default/{preset}"
    exists = preset is None
    for sections in _files(method):
        for key in ("default", general, section if section in sections else data):
            if key in sections:
                exists = exists or key in {section, general}
                values = dict(sections[key])
                sources.append(str(values.pop("source")))
                settings.update(values)
    if not exists:
        raise UnknownName("preset", section, _alternatives(method))
    return settings, "; ".join(dict.fromkeys(sources))


def preset_by_size(method: str, data: str, nodes: int) -> str | None:
    """Return the alternative for graphs of many nodes where it applies, else None.

    It applies to a graph that no preset of the method is written for, has more than
    `LARGE_NODES` nodes, and whose method has such an alternative: GRACE and GCA then sample their
    negatives.
    """
    has_preset = any(data in sections for sections in _files(method))
    has_alternative = f"default/{LARGE}" in _alternatives(method)
    return LARGE if nodes > LARGE_NODES and has_alternative and not has_preset else None


def preset_names() -> list[tuple[str, str, str]]:
    """Return (method, section, source) of every preset there is."""
    names = sorted(
        entry.name.removesuffix(".toml")
        for entry in files(__package__).iterdir()
        if entry.name.endswith(".toml")
    )
    return [
        (name, section, str(values["source"]))
        for name in names
        for section, values in _read(name).items()
    ]


def _files(method: str) -> Iterator[Sections]:
    """Yield the preset files of a method, what prevails last."""
    base, plugins = split_name(method)
    shared = [preset_name(each) for each in plugins]
    together = ["+".join([base, *shared])] if plugins else []
    for name in [base, *shared, *together]:
        if sections := _read(name):
            yield sections


@cache
def _read(name: str) -> Sections:
    entry = files(__package__) / f"{name}.toml"
    return tomllib.loads(entry.read_text("utf-8")) if entry.is_file() else {}


def _alternatives(method: str) -> list[str]:
    return sorted({key for sections in _files(method) for key in sections if "/" in key})
