"""What there is: methods, data sets, presets, and the settings of each."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from homogcl.advice.estimate import estimate
from homogcl.cli.options import Data, Json, Preset, Root
from homogcl.data.load import data_names
from homogcl.methods.registry import method_class, method_names, plugin_names, summary
from homogcl.pages import terminal
from homogcl.presets.resolve import preset_names
from homogcl.runs.request import Request


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
                if method_class(name).combines
                else "",
                "learns from": method_class(name).training_data,
                "what": summary(name),
            }
            for name in (method_names() if what is Listing.methods else [])
        ],
        "datasets": [{"name": name} for name in data_names()],
        "presets": [
            {"method": method, "section": section, "source": origin}
            for method, section, origin in preset_names()
        ],
    }
    terminal.rows(rows[what.value], as_json=as_json)


def show(
    method: str,
    data: Data,
    preset: Preset = None,
    cost: Annotated[bool, typer.Option("--cost", help="Estimate time and memory too.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show the settings of METHOD on DATA, where they come from and what training would take."""
    asked = Request(method, data, preset=preset, root=root)
    run = asked.resolve()
    settings = run.settings
    expected = estimate(method, settings, run.graph) if cost else None
    if as_json:
        more = {"seconds": expected.seconds, "bytes": expected.bytes} if expected else {}
        typer.echo(json.dumps({**settings.flat(), "source": settings.source, **more}))
        return
    terminal.result(settings.flat(), as_json=False)
    terminal.say(f"source: {settings.source}")
    if settings.preset != asked.preset:
        terminal.say(
            f"preset {settings.preset}, since no preset knows {data} and it has many nodes"
        )
    if expected:
        terminal.say(f"training takes {expected}")
