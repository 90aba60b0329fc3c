"""What there is: methods, data sets, presets, and the settings of each."""

from __future__ import annotations

import json
from enum import StrEnum

import typer

from homogcl import display
from homogcl.cli.options import Data, Json, Preset
from homogcl.data import data_names
from homogcl.methods import method_class, method_names, plugin_names, summary
from homogcl.presets import preset_names
from homogcl.run import RunSpec


class Listing(StrEnum):
    """What can be listed."""

    methods = "methods"
    datasets = "datasets"
    presets = "presets"


def list_names(what: Listing, as_json: Json = False) -> None:
    """List the methods, the data sets or the presets."""
    rows: dict[str, list[dict[str, str]]] = {
        "methods": [
            {
                "name": name,
                "plug-ins": " ".join(f"+{p}" for p in plugin_names())
                if method_class(name).expands_positives
                else "",
                "learns from": method_class(name).training_data,
                "what": summary(name),
            }
            for name in (method_names() if what is Listing.methods else [])
        ],
        "datasets": [{"name": name} for name in data_names()],
        "presets": [
            {"method": method, "section": section, "source": source}
            for method, section, source in preset_names()
        ],
    }
    display.rows(rows[what.value], as_json=as_json)


def show(method: str, data: Data, preset: Preset = None, as_json: Json = False) -> None:
    """Show the settings of METHOD on DATA and where they come from."""
    settings = RunSpec(method, data, preset=preset).settings()
    if as_json:
        typer.echo(json.dumps({**settings.flat(), "source": settings.source}))
        return
    display.result(settings.flat(), as_json=False)
    display.say(f"source: {settings.source}")
