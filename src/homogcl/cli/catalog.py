"""What there is: methods, data sets, presets, and the settings of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from homogcl.cli.options import Data, Json, Preset, Root

if TYPE_CHECKING:
    from homogcl.advice.estimate import Estimate
    from homogcl.presets.overview import Overview


def list_names(what: Literal["methods", "datasets", "presets"], as_json: Json = False) -> None:
    """List the methods, the data sets or the presets."""
    from homogcl.pages import terminal

    if what == "methods":
        from homogcl.methods.names import method_names

        rows = [_method_row(name) for name in method_names()]
    elif what == "datasets":
        from homogcl.data.catalog import data_names

        rows = [{"name": name} for name in data_names()]
    else:
        from homogcl.presets.sections import preset_names

        rows = [
            {"method": method, "section": section, "source": source}
            for method, section, source in preset_names()
        ]
    terminal.rows(rows, as_json=as_json)


def show(
    method: str,
    data: Data,
    preset: Preset = None,
    cost: Annotated[bool, typer.Option("--cost", help="Estimate time and memory too.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show the settings of METHOD on DATA, where they come from and what training would take."""
    import json

    from homogcl.pages import terminal
    from homogcl.presets.overview import overview
    from homogcl.presets.sections import LARGE_NODES

    settings = None if cost else overview(method, data, preset, root)
    expected = None
    if settings is None:
        settings, expected = _ask_classes(method, data, preset, root, cost=cost)
    if as_json:
        more = {"seconds": expected.seconds, "bytes": expected.bytes} if expected else {}
        typer.echo(json.dumps({**settings.values, "source": settings.source, **more}))
        return
    terminal.result(settings.values, as_json=False)
    terminal.say(f"source: {settings.source}")
    if settings.preset != preset:
        terminal.say(
            f"preset {settings.preset}: {data} has no preset of its own and more than "
            f"{LARGE_NODES:,} nodes"
        )
    if expected:
        terminal.say(f"training takes {expected}")


def _method_row(name: str) -> dict[str, str]:
    from homogcl.core.extensions import third_party
    from homogcl.presets.catalog import catalog

    entry = catalog().methods.get(name)
    if entry is not None:
        others = third_party("homogcl.plugins") if entry.takes_positives else {}
        plugins = sorted({*entry.plugins, *others})
        learns_from, summary = entry.training_data, entry.summary
    else:  # a third party's method
        from homogcl.core.extensions import BrokenExtension
        from homogcl.methods import registry

        try:
            method = registry.method_class(name)
        except BrokenExtension as error:
            return {"name": name, "plug-ins": "", "learns from": "", "what": f"broken: {error}"}
        plugins = registry.plugins_of(method)
        learns_from, summary = method.training_data, registry.summary(name)
    return {
        "name": name,
        "plug-ins": " ".join(f"+{each}" for each in plugins),
        "learns from": learns_from,
        "what": summary,
    }


def _ask_classes(
    method: str, data: str, preset: str | None, root: Path | None, *, cost: bool
) -> tuple[Overview, Estimate | None]:
    """Return the settings that the classes of a method validate, and what training would take."""
    from homogcl.advice.estimate import estimate
    from homogcl.presets.overview import Overview
    from homogcl.runs.request import Request

    run = Request(method, data, preset=preset, root=root).resolve()
    settings = run.settings
    expected = estimate(method, settings, run.graph) if cost else None
    return Overview(settings.flat(), settings.source, settings.preset), expected
