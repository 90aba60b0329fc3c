"""Run the measures, print their ratios beside the limits they are held to, and keep them as data.

`python -m benchmarks` runs the parts about GRACE and HomoGCL, those on steps of every method, of
plug-ins, of BGRL and of encoders, those on earlier commits and on the time to a quality, and that
on the probe,
`python -m benchmarks budget` that on 10,000 steps of BGRL,
`python -m benchmarks negatives` that on sampling negatives,
`python -m benchmarks own-files` that on reading large files,
`python -m benchmarks cold-start` that on nodes without edges,
`python -m benchmarks startup` that on how fast commands start,
`python -m benchmarks scale arxiv-step` those on large graphs, which take long,
`python -m benchmarks index` that on libraries of near vectors,
`python -m benchmarks hosts` that on one host and two, which takes root,
`python -m benchmarks large --nodes 500000,5000000` that from tables beyond memory to an index, and
`python -m benchmarks --one MEASURE ARGUMENTS` prints one measure as JSON.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import (
    cold_start,
    earlier,
    hosts,
    index,
    large,
    measures,
    negatives,
    probe,
    quality,
    scale,
    steps,
)
from benchmarks.process import measure
from benchmarks.startup import startup
from benchmarks.tutorial import seconds_of_steps
from homogcl.core.errors import UnknownName, UserError
from homogcl.core.memory import keep_freed_pages
from homogcl.methods.registry import method_class, method_names
from homogcl.presets.resolve import resolve
from homogcl.runs.origin import PRECISION, current_commit, current_machine, current_versions

KEPT = Path(__file__).parent / "results.json"
Row = tuple[str, float, str]  # what, its value, what it is held to
EXACT, WEIGHTED = "negatives=exact", "start_epoch=0"  # before its start_epoch ProGCL is GRACE
console = Console(soft_wrap=True)


def against_the_released_formulation() -> list[Row]:
    """Compare a step with the dense peer, and HomoGCL's step with GRACE's."""
    rows: list[Row] = []
    for data in ("cora", "photo"):
        ours, grace = (measure("step", name, data, 5, EXACT) for name in ("grace+homogcl", "grace"))
        peer = measure("dense_step", data)
        held = "at least 3" if data == "photo" else ""
        rows += [
            (f"{data}: seconds of a grace+homogcl step", ours["seconds"], ""),
            (f"{data}: seconds of a dense step", peer["seconds"], ""),
            (f"{data}: dense over ours, time", peer["seconds"] / ours["seconds"], held),
            (f"{data}: dense over ours, memory", peer["bytes"] / ours["bytes"], ""),
            (
                f"{data}: HomoGCL over GRACE, time",
                ours["seconds"] / grace["seconds"],
                "at most 1.3" if data == "photo" else "",
            ),
        ]
        if data == "photo":
            turns = measure("sampled_and_dense", data)
            rows += [
                ("photo: seconds of a grace+homogcl step, sampled", turns["seconds_sampled"], ""),
                ("photo: seconds of a dense step in turns with it", turns["seconds_ours"], ""),
                ("photo: dense over ours, sampled", turns["ratio_ours"], "at least 15"),
                (
                    "photo: dense with torch_geometric's layers over ours, sampled",
                    turns["ratio_torch_geometric"],
                    "",
                ),
            ]
    return rows


def loss_against_the_machine() -> list[Row]:
    """Compare the loss with the machine's matrix products at N = 7,650, d = 256."""
    share = measure("loss_share")
    return [
        ("GFLOP/s of a float32 product", share["limit_gflops"], ""),
        ("share of it, tiles kept", share["share_kept"], "at least 0.8"),
        ("share of it, tiles computed again", share["share_recomputed"], ""),
        ("seconds, tiles kept", share["seconds_kept"], ""),
    ]


def memory_on_pubmed() -> list[Row]:
    """Return the memory of training on PubMed: HomoGCL's above its start, others' in all."""
    taken = measure("step", "grace+homogcl", "pubmed", 1, EXACT)
    progcl = measure("step", "progcl", "pubmed", 1, WEIGHTED)
    afgrl = measure("step", "afgrl", "pubmed", 1)
    return [
        ("pubmed: GB above the start of training", taken["bytes"] / 1e9, "under 1.5"),
        ("pubmed: seconds of a step", taken["seconds"], ""),
        ("pubmed: GB of a process that trains progcl", progcl["peak_bytes"] / 1e9, "under 3"),
        ("pubmed: GB of a process that trains afgrl", afgrl["peak_bytes"] / 1e9, "under 3"),
    ]


def growth() -> list[Row]:
    """Return time and memory on generated graphs of 5,000 to 40,000 nodes."""
    sizes = (5_000, 10_000, 20_000, 40_000)
    taken = {n: measure("growth", n) for n in sizes}
    rows: list[Row] = []
    for n, result in taken.items():
        rows += [
            (f"N = {n:,}: seconds of a step", result["seconds"], ""),
            (f"N = {n:,}: GB", result["bytes"] / 1e9, ""),
        ]
    first, last = taken[sizes[0]], taken[sizes[-1]]
    scale = math.log(sizes[-1] / sizes[0])
    for key, held in (("seconds", "at most 2.1"), ("bytes", "under 1.2")):
        exponent = math.log(last[key] / first[key]) / scale
        rows.append((f"exponent of {key} in N", exponent, held))
    return rows


def methods() -> list[Row]:
    """Return each method's step on Photo as a ratio to GRACE's on all negatives."""
    # No step of theirs could be timed.
    untrained = {"raw", "random", "propagation", "deepwalk", "node2vec"}
    names = [
        name
        for name in method_names()
        if name not in untrained and "Y" not in method_class(name).training_data
    ]
    grace = measure("step", "grace", "photo", 3, EXACT)
    rows: list[Row] = []
    for name in names:
        # InfoGCL's presets contrast nodes with summaries, where there are no pairs to expand.
        plugged = method_class(name).combines and name != "infogcl"
        variants = [name, f"{name}+homogcl"] if plugged else [name]
        for each in variants:
            taken = measure("step", each, "photo", 1, *([WEIGHTED] if name == "progcl" else []))
            sampled = resolve(each, "photo").method.get("negatives") == "sampled"
            label = f"{each}, sampled" if sampled else each
            rows += [
                (f"{label}: time over grace", taken["seconds"] / grace["seconds"], ""),
                (f"{label}: memory over grace", taken["bytes"] / grace["bytes"], ""),
            ]
    return rows


def sampled_negatives() -> list[Row]:
    """Return the errors of sums, loss and gradient with sampled negatives, in percent."""
    sums = negatives.row_sum_errors()
    negatives.draw_picture(sums)
    errors = {f"row sums, {key}": value for key, value in sums.items()}
    errors |= {f"{key}, stratified": value for key, value in negatives.loss_errors().items()}
    return [(f"{key}: error (%)", 100 * value, "") for key, value in errors.items()]


def own_files() -> list[Row]:
    """Return the seconds that 10 million edges take from a CSV file to a graph, on one thread."""
    rows: list[Row] = []
    for ids in ("numbers", "names"):
        taken = measure("own_files", ids)
        rows += [
            (f"{ids}: seconds to the graph", taken["seconds"], "under 60"),
            (f"{ids}: processor seconds to the graph", taken["processor_seconds"], ""),
            (f"{ids}: processor seconds of structural features", taken["structural_seconds"], ""),
            (f"{ids}: GB", taken["bytes"] / 1e9, ""),
        ]
    return rows


def tutorial() -> list[Row]:
    """Return the seconds of each command of the tutorial."""
    return [(f"`{command}`", taken, "") for command, taken in seconds_of_steps().items()]


PARTS: dict[str, Callable[[], list[Row]]] = {
    "peer": against_the_released_formulation,
    "loss": loss_against_the_machine,
    "memory": memory_on_pubmed,
    "growth": growth,
    "methods": methods,
    "plugins": steps.plugins,
    "bgrl": steps.bgrl,
    "encoders": steps.encoders,
    "earlier": earlier.earlier,
    "quality": quality.quality,
    "budget": quality.budget,
    "negatives": sampled_negatives,
    "tutorial": tutorial,
    "startup": startup,
    "probe": probe.probe,
    "cold-start": cold_start.cold_start,
    "own-files": own_files,
    "scale": scale.scale,
    "arxiv-step": scale.arxiv,
    "arxiv-epoch": scale.arxiv_sampled,
    "large": large.large,
    "index": index.index,
    "hosts": hosts.over_hosts,
}


DEFAULT = (
    *("peer", "loss", "memory", "growth", "methods", "probe"),
    *("plugins", "bgrl", "encoders", "earlier", "quality"),
)


def main(names: list[str]) -> None:
    """Run the parts called `names`."""
    names, sizes = large.sizes_of(names)
    for name in names:
        if name not in PARTS:
            raise UnknownName("part", name, set(PARTS))
    for name in names or DEFAULT:
        origin = {
            "versions": current_versions(),
            "commit": current_commit(),
            "machine": current_machine(torch.get_num_threads()).model_dump(),
            "precision": PRECISION,
        }
        rows = large.large(sizes) if name == "large" else PARTS[name]()
        results = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
        table = Table(
            title=str(PARTS[name].__doc__).partition("\n")[0], box=None, title_justify="left"
        )
        for column in ("measure", "value", "held to"):
            table.add_column(column)
        for what, value, held in rows:
            table.add_row(what, f"{value:.3g}", held)
        console.print(table)
        measured = [{"measure": w, "value": v, "held_to": h} for w, v, h in rows]
        results[name] = {**origin, "rows": measured}
        KEPT.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        arguments = [int(a) if a.isdigit() else a for a in sys.argv[3:]]
        owners = (large, scale, probe, steps, quality, cold_start, measures)
        owner = next(each for each in owners if hasattr(each, sys.argv[2]))
        keep_freed_pages()  # as the command line does
        result = getattr(owner, sys.argv[2])(*arguments)
        if os.environ.get("RANK", "0") == "0":
            console.print_json(json.dumps(result), indent=None)
    else:
        try:
            main(sys.argv[1:])
        except UserError as error:
            Console(stderr=True, soft_wrap=True).print(f"Error: {error}", markup=False)
            sys.exit(2)
