"""The files of presets: one TOML file per method, one section per data set.

The section `[default]` holds for every graph and `[cora]` for that data set. The section
`["cora/official"]` is an alternative, chosen by its name `official`. `["default/large"]` is chosen
automatically for graphs with many nodes that have no section of their own. The settings of
`grace+homogcl` are those of `grace`, then of `+homogcl`, then of the file `grace+homogcl` if there
is one; later values replace earlier ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from homogcl.core.errors import UnknownName, UserError
from homogcl.methods.names import PLUGINS, split_name

Sections = dict[str, dict[str, object]]

ANY_DATA = "default"  # the section for every graph
NO_DATA_SET = ""  # no section has this name, so the method's defaults hold
LARGE = "large"
LARGE_NODES = 5_000  # between CiteSeer (its preset compares all pairs) and Photo (samples)


def preset_settings(
    method: str, data: str, preset: str | None = None
) -> tuple[dict[str, object], str]:
    """Return the settings of a method on a data set by its presets, and their sources.

    An unknown data set gets the method's defaults. Features of a graph that is no data set are
    scaled as a look at them decides. `preset` names an alternative, for the data set (such as
    `official`) or for all graphs (such as `large`).
    """
    settings: dict[str, object] = {}
    sources: list[str] = []
    section = data if preset is None else f"{data}/{preset}"
    general = f"default/{preset}"
    exists = preset is None
    for sections in _files(method):
        for key in (ANY_DATA, general, section if section in sections else data):
            if key in sections:
                exists = exists or key in {section, general}
                values = dict(sections[key])
                sources.append(str(values.pop("source")))
                settings.update(values)
    if not exists:
        raise UnknownName("preset", section, _alternatives(method))
    if data == NO_DATA_SET:
        # What papers did to the features of their data sets says nothing of other graphs.
        settings["features"] = "auto"
    return settings, "; ".join(dict.fromkeys(sources))


def preset_file(preset: str | None) -> Path | None:
    """Return the file of a user's own that is meant as a preset, or None for a preset's name."""
    is_file = preset is not None and (preset.endswith(".toml") or "/" in preset)
    return Path(preset).expanduser() if preset and is_file else None


def file_settings(path: Path, data: str) -> dict[str, object]:
    """Return the settings in a file of presets for every graph, and for the data set `data`."""
    try:
        sections = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"cannot read the preset {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no preset: {error}") from None
    settings: dict[str, object] = {}
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise UserError(f"{path}: {name} stands in no section: write [{ANY_DATA}] above it")
    for name in (ANY_DATA, data):
        settings |= sections.get(name, {})
    settings.pop("source", None)
    if not settings:
        raise UserError(f"{path} has no section [{ANY_DATA}]{f' or [{data}]' if data else ''}")
    return settings


def depends_on_size(method: str, data: str) -> bool:
    """Return whether the preset depends on the size of the graph.

    It does if the method has a preset for large graphs and the data set has none of its own.
    """
    has_own = any(data in sections for sections in _files(method))
    return not has_own and f"default/{LARGE}" in _alternatives(method)


def preset_by_size(method: str, data: str, nodes: int | Callable[[], int]) -> str | None:
    """Return the preset for graphs of more than `LARGE_NODES` nodes, or None if it does not apply.

    Under it methods that compare all pairs sample their negatives. Where `nodes` is a function, it
    is called only if the number matters.
    """
    if not depends_on_size(method, data):
        return None
    count = nodes() if callable(nodes) else nodes
    return LARGE if count > LARGE_NODES else None


def preset_names() -> list[tuple[str, str, str]]:
    """Return (method, section, source) of every preset."""
    folder = files(__package__)
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return [
        (name.removesuffix(".toml"), section, str(values["source"]))
        for name in names
        for section, values in _read(name.removesuffix(".toml")).items()
    ]


def _files(method: str) -> Iterator[Sections]:
    """Yield the preset files of a method; later ones replace values of earlier ones."""
    base, plugins = split_name(method)
    shared = [_presets_of(each) for each in plugins]
    together = ["+".join([base, *shared])] if plugins else []
    for name in [base, *(f"+{each}" for each in shared), *together]:
        if sections := _read(name):
            yield sections


def _presets_of(plugin: str) -> str:
    """Return the plug-in whose presets a plug-in shares."""
    if plugin in PLUGINS:
        return PLUGINS[plugin].presets
    from homogcl.methods import registry  # loads a third party's class, and torch with it

    return registry.plugin(plugin).presets


@cache
def _read(name: str) -> Sections:
    entry = files(__package__) / f"{name}.toml"
    return tomllib.loads(entry.read_text("utf-8")) if entry.is_file() else {}


def _alternatives(method: str) -> list[str]:
    return sorted({key for sections in _files(method) for key in sections if "/" in key})
