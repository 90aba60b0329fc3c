"""Advice before a training: whether everything is installed, and what the graph is like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Json, Root, Seed

if TYPE_CHECKING:
    from torch_geometric.data import Data as Graph

    from homogcl.advice.doctor import Finding
    from homogcl.advice.inspect import Components
    from homogcl.advice.neighborhoods import ProbeTrial
    from homogcl.data.recipe import Step
    from homogcl.data.summary import GraphSummary
    from homogcl.runs.request import Request

TRAINED = ("grace", "bgrl", "ccassg")  # by steps, whose time `inspect` estimates


def doctor(as_json: Json = False, root: Root = None) -> None:
    """Say what this machine has, what is missing, and what to do about it."""
    from homogcl.advice.doctor import examine
    from homogcl.pages import terminal

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
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Report on DATA before training: size, homophily, what neighbors tell, warnings."""
    from homogcl.advice import inspect as advice
    from homogcl.advice.estimate import duration
    from homogcl.advice.neighborhoods import METHOD, SIMPLEST, likeness, trial
    from homogcl.data.load import load
    from homogcl.data.summary import summarize
    from homogcl.pages import terminal
    from homogcl.runs.request import Request

    graph = load(data, root, seed=seed, files=files)
    summary, components = summarize(graph), advice.components(graph)
    alike, probes = likeness(graph, seed), trial(graph, seed)
    doubts = advice.warnings(summary, alike)
    requests = [Request(name, data, seed, root=root, files=files) for name in TRAINED]
    costs = _training_seconds(requests, graph)
    steps = graph.recipe.steps() if graph.get("recipe") is not None else []
    if as_json:
        shape = {"components": components.count, "largest_component": components.largest}
        measures = {"likeness": alike and asdict(alike), "trial": probes and asdict(probes)}
        columns = {"columns": [asdict(step) for step in steps]}
        times = {"training_seconds": costs}
        report = {**asdict(summary), **columns, **shape, **measures, **times, "warnings": doubts}
        terminal.result(report, as_json=True)
        return
    if "report" in graph:
        terminal.say(f"read: {graph.report}\n")
    _show_steps(steps)
    terminal.result(_summary_lines(summary, components), as_json=False)
    terminal.say("")
    for measured in (alike, probes):
        if measured is not None:
            terminal.say(measured.measured)
    choice = probes.choice if probes else METHOD
    terminal.say(f"try `{choice}` first, which takes no training by steps{_certainty(probes)}")
    if probes is not None and probes.simplest_is_enough:
        terminal.say(
            f"`{SIMPLEST}` is likely to be enough: nothing else that was tried is ahead of it"
        )
    for name, seconds in costs.items():
        terminal.say(f"training {name} takes about {duration(seconds)}")
    for sentence in advice.conclusions(summary, alike):
        terminal.say(f"warning: {sentence}" if sentence in doubts else sentence)


def _certainty(probes: ProbeTrial | None) -> str:
    """Return how far the recommendation can be trusted, as the end of a sentence."""
    if probes is None:
        return "; without labels nothing tells whether another is better"
    return "" if probes.is_sure else "; its lead may be chance"


def _training_seconds(requests: Sequence[Request], graph: Graph) -> dict[str, float]:
    """Return how long trainings by steps take on the graph, by method."""
    from homogcl.advice.estimate import estimate
    from homogcl.core.errors import UserError

    costs = {}
    for request in requests:
        try:
            cost = estimate(request.method, request.resolve().settings, graph, request.seed)
        except UserError:  # settings that the graph is too small for
            continue
        if cost is not None:
            costs[request.method] = cost.seconds
    return costs


def _show_findings(findings: list[Finding]) -> None:
    """Print what is in order in a few lines, and each other finding with its remedy."""
    from homogcl.pages import terminal

    for area in dict.fromkeys(finding.area for finding in findings):
        of_area = [finding for finding in findings if finding.area == area]
        fine = {finding.name: finding.state for finding in of_area if finding.ok}
        terminal.say(f"{area}:")
        if area == "packages":
            terminal.paragraph(", ".join(f"{name} {version}" for name, version in fine.items()))
        elif area == "data":
            terminal.paragraph(f"root {fine.pop('root', '')}")
            terminal.paragraph(f"complete: {', '.join(fine)}")
        else:
            for name, state in fine.items():
                terminal.paragraph(f"{name}: {state}")
        _show_lacks([finding for finding in of_area if not finding.ok])


def _show_lacks(findings: list[Finding]) -> None:
    """Print each problem with its remedy; problems without one share a line."""
    from homogcl.pages import terminal

    remedied = [finding for finding in findings if finding.advice]
    for finding in remedied:
        mark = "!" if finding.needed else "-"
        terminal.say(f"{mark} {finding.name}: {finding.state} -> {finding.advice}")
    unremedied = [finding for finding in findings if not finding.advice]
    for state in dict.fromkeys(finding.state for finding in unremedied):
        names = ", ".join(finding.name for finding in unremedied if finding.state == state)
        terminal.paragraph(f"{state}: {names}")


def _show_steps(steps: Sequence[Step], most: int = 20) -> None:
    """Print what was done to the columns of features, or to the first of them."""
    from homogcl.pages import terminal

    if steps:
        texts = [{key: str(value) for key, value in asdict(step).items()} for step in steps[:most]]
        terminal.rows(texts, as_json=False)
        more = len(steps) - most
        terminal.say(f"and {more:,} columns more; --json has all\n" if more > 0 else "")


def _summary_lines(summary: GraphSummary, components: Components) -> dict[str, object]:
    low, high, median = summary.degree_min, summary.degree_max, summary.degree_median
    lines: dict[str, object] = {
        "nodes": f"{summary.nodes:,}",
        "edges": f"{summary.edges:,} (density {summary.density:.2g})",
        "features": f"{summary.features:,}",
        "degrees": f"{low} to {high}, median {median:g}, {summary.isolated:,} nodes without edges",
        "components": f"{components.count:,}, the largest of {components.largest:,} nodes",
        "self-loops": summary.self_loops,
        "repeated": summary.duplicates,
    }
    if summary.homophily is None:
        return {**lines, "homophily": "unknown: no edge has two labels"}
    homophily, adjusted = summary.homophily, summary.adjusted_homophily
    return {
        **lines,
        "classes": summary.classes,
        "homophily": f"{homophily:.2f}, adjusted for chance {adjusted:.2f}",
    }
