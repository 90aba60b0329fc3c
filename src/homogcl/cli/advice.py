"""What to know before a training: whether everything is there, and what the graph is like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from homogcl.advice import inspect as advice
from homogcl.advice.doctor import Finding, examine
from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Json, Root, Seed
from homogcl.data.load import load
from homogcl.data.summary import GraphSummary, summarize
from homogcl.pages import terminal


def doctor(as_json: Json = False, root: Root = None) -> None:
    """Say what this machine has, what is missing, and what to do about it."""
    findings = examine(root)
    ready = not any(finding.stops for finding in findings)
    if as_json:
        terminal.result({"ready": ready, "findings": [asdict(f) for f in findings]}, as_json=True)
    else:
        _show_findings(findings)
        terminal.say("\nready" if ready else "\nnot ready: see the lines marked with !")
    raise typer.Exit(0 if ready else 1)


@with_files
def inspect(
    data: Data,
    files: Mapping[str, object],
    epochs: Annotated[int, typer.Option(min=0, help="Of a short training; 0 for none.")] = 15,
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Report on DATA before training: size, degrees, homophily, saliency of edges, warnings."""
    graph = load(data, root, seed=seed, files=files)
    known = summarize(graph)
    parts = advice.components(graph)
    measured = advice.short_training(graph, epochs=epochs, seed=seed) if epochs else None
    doubts = advice.warnings(known, measured)
    if as_json:
        shape = {"components": parts.count, "largest_component": parts.largest}
        measures = {"saliency": measured and asdict(measured), "warnings": doubts}
        report = {**asdict(known), **shape, **measures}
        terminal.result(report, as_json=True)
        return
    if "report" in graph:
        terminal.say(f"read: {graph.report}\n")
    terminal.result(_facts(known, parts), as_json=False)
    if measured is not None:
        terminal.say(f"\nsaliency S after {measured.epochs} epochs of {advice.METHOD}")
        terminal.rows(_spreads(measured), as_json=False)
        terminal.say(
            "a held-out edge has the higher S than a pair without an edge in "
            f"{measured.separation:.0%} of cases (chance: 50%)"
        )
    terminal.say("")
    for doubt in doubts:
        terminal.say(f"warning: {doubt}")
    if not doubts:
        terminal.say("no reason found to doubt that neighbors belong together")


def _show_findings(findings: list[Finding]) -> None:
    """Print what is in order in few lines, and every other thing with its remedy."""
    for area in dict.fromkeys(finding.area for finding in findings):
        here = [finding for finding in findings if finding.area == area]
        fine = {f.name: f.found for f in here if f.ok}
        terminal.say(f"{area}:")
        if area == "packages":
            terminal.paragraph(", ".join(f"{name} {found}" for name, found in fine.items()))
        elif area == "data":
            terminal.paragraph(f"root {fine.pop('root', '')}")
            terminal.paragraph(f"complete: {', '.join(fine)}")
        else:
            for name, found in fine.items():
                terminal.paragraph(f"{name}: {found}")
        for finding in here:
            if not finding.ok:
                mark = "!" if finding.needed else "-"
                terminal.say(f"{mark} {finding.name}: {finding.found} -> {finding.advice}")


def _facts(known: GraphSummary, parts: advice.Components) -> dict[str, object]:
    shown: dict[str, object] = {
        "nodes": f"{known.nodes:,}",
        "edges": f"{known.edges:,} (density {known.density:.2g})",
        "features": f"{known.features:,}",
        "degrees": f"{known.degree_min} to {known.degree_max}, median {known.degree_median:g}, "
        f"{known.isolated:,} nodes without edges",
        "components": f"{parts.count:,}, the largest of {parts.largest:,} nodes",
        "self-loops": known.self_loops,
        "repeated": known.duplicates,
    }
    if known.homophily is None:
        return {**shown, "homophily": "unknown: no edge has two labels"}
    shown["classes"] = known.classes
    shown["homophily"] = (
        f"{known.homophily:.2f}, adjusted for chance {known.adjusted_homophily:.2f}"
    )
    return shown


def _spreads(measured: advice.Saliency) -> list[dict[str, str]]:
    named = {
        "edges seen in training": measured.seen,
        "edges held out": measured.held_out,
        "pairs without an edge": measured.random,
    }
    return [
        {
            "pairs": name,
            "number": f"{spread.pairs:,}",
            "mean": f"{spread.mean:.2f}",
            "median": f"{spread.deciles[5]:.2f}",
            "S > 0.5": f"{spread.high:.0%}",
            "S < 0.1": f"{spread.low:.0%}",
        }
        for name, spread in named.items()
    ]
