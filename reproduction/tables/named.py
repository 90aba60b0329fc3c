"""The tables of README and docs by name, made from records and measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from homogcl.core.errors import UnknownName
from homogcl.core.files import write_atomically
from homogcl.pages.metric_cells import UNTRAINED
from homogcl.pages.table import Table
from homogcl.runs.record import read_records
from reproduction.paper.comparison import classification_table, clustering_table
from reproduction.paper.milestones import milestone_table
from reproduction.paper.overview import differences_table, plugin_table
from reproduction.paper.published_budgets import published_budgets
from reproduction.paper.tables import (
    DATA,
    ablation,
    ablation_variant,
    arxiv,
    arxiv_variant,
    bgrl,
    classification,
    clustering,
)
from reproduction.paper.text_proxy import text_proxy
from reproduction.paper.untrained import untrained_runs, with_notes
from reproduction.paper.variants import negatives_table
from reproduction.paper.verdicts import PrintedRow, counts_table, printed_rows, verdicts_table
from reproduction.prose import filled
from reproduction.reported.numbers import causes, read
from reproduction.study.advice import advice, rates
from reproduction.study.batches import batches
from reproduction.study.budgets import budgets
from reproduction.study.cold_start import cold_start
from reproduction.study.edge_scores import edge_scores, reliability
from reproduction.study.encoder_parts import encoder_parts
from reproduction.study.encoders import encoders
from reproduction.study.forecast import forecast
from reproduction.study.form import form
from reproduction.study.forms import forms
from reproduction.study.goals import (
    CLUSTER_GOALS,
    EXACT_GOALS,
    SHIPPED_GOALS,
    adaptive_on_presets,
    goals,
    goals_of,
)
from reproduction.study.levers import levers
from reproduction.study.neighbor_methods import neighbor_methods
from reproduction.study.probes import probes
from reproduction.study.refresh import refresh
from reproduction.study.rivals import rivals
from reproduction.study.robustness import robustness
from reproduction.study.stopping import stopping_table
from reproduction.study.unseen import unseen
from reproduction.study.wrong_edges import wrong_edges
from reproduction.tables.bench import (
    GRACE_PARTS,
    headline_table,
    measures_table,
    methods_table,
    sampling_table,
)
from reproduction.tables.costs import costs_table
from reproduction.tables.markers import insert_between_markers

BASES = ("grace", "gca", "progcl", "ariel", "gcool", "costa", "ccassg", "gbt", "bgrl", "afgrl")
FOUNDATION = ("raw", "random", "propagation", "grace", "grace+homogcl")
COSTED = (
    *("raw", "random", "deepwalk", "node2vec", "grace", "bgrl", "ccassg", "grace+homogcl"),
    *("propagation", "homogcl"),
)
FLAGSHIP = (*UNTRAINED, "grace", "bgrl", "ccassg", "homogcl")


def named_table(name: str, results: Path) -> Table:
    """Return the table called `name` from the folder of records `results`."""
    if name not in TABLES:
        raise UnknownName("table", name, TABLES)
    return TABLES[name](results)


def named_tables(root: Path, names: Iterable[str]) -> dict[str, Table]:
    """Return the tables called `names` for the project in the folder `root`."""
    return {name: named_table(name, root / "results") for name in names}


def rewrite_tables(root: Path, pages: Iterable[str]) -> list[str]:
    """Write every table between markers of the pages anew, and return the pages that changed."""
    changed = []
    for page in pages:
        before = text = (root / page).read_text("utf-8")
        for name, table in named_tables(root, shown_in(text)).items():
            text = insert_between_markers(text, name, table)
        if text != before:
            write_atomically(root / page, text.encode())
            changed.append(page)
    return changed


def shown_in(text: str) -> list[str]:
    """Return the names of the tables that a page has markers for."""
    return re.findall(r"<!-- table:([\w-]+) -->", text)


def _foundation(results: Path) -> Table:
    records = read_records(results / "presets")
    return classification_table(records, read("classification"), FOUNDATION, DATA)


def _flagship(results: Path) -> Table:
    records = read_records(results / "presets")
    return classification_table(records, read("classification"), FLAGSHIP, DATA)


def _foundation_clustering(results: Path) -> Table:
    # Without a training there are no negatives to be exact about.
    records = [*read_records(results / "exact"), *untrained_runs(results)]
    table = clustering_table(records, read("clustering"), FOUNDATION, ("photo",))
    return with_notes(table, "Trained with all nodes as negatives; the presets sample some.")


def _plugin(results: Path) -> Table:
    printed = [*read("classification"), *read("bgrl")]
    return plugin_table(read_records(results / "presets"), printed, BASES, "homogcl", DATA)


def _differences(results: Path) -> Table:
    records = read_records(results / "presets")
    printed = [*read("classification"), *read("clustering")]
    # BGRL is in two of the paper's tables, BGRL with the plug-in only in its own.
    printed += [each for each in read("bgrl") if each.method != "bgrl"]
    reasons = [
        replace(cause, reason=filled(cause.reason, "causes.csv", results.parent))
        for cause in causes()
    ]
    return differences_table(records, printed, reasons)


def _printed_rows(results: Path) -> list[PrintedRow]:
    """Return the verdicts on all accuracies and clusterings that the paper prints."""
    presets = read_records(results / "presets")
    usual = {
        "Table 2": read("classification"),
        "Table 3": read("clustering"),
        "Table 4": read("bgrl"),
    }
    arxiv_test = [each for each in read("arxiv") if each.metric == "test_accuracy"]
    return [
        *printed_rows(presets, usual, causes()),
        *printed_rows(
            read_records(results / "arxiv"), {"Table 5": arxiv_test}, causes(), arxiv_variant
        ),
        *printed_rows(
            [*presets, *read_records(results / "ablation")],
            {"Table 7": read("ablation")},
            causes(),
            ablation_variant,
        ),
    ]


def _epochs(results: Path) -> Table:
    """Return accuracies by epochs with exact negatives, as presets for small graphs have them."""
    presets = read_records(results / "presets")
    records = [r for r in presets if r.data in DATA[:2] or r.method in UNTRAINED]
    records += read_records(results / "exact")
    return milestone_table(records, ("grace", "grace+homogcl"), DATA)


def _negatives(results: Path) -> Table:
    """Return accuracy and time with sampled negatives, compared with all negatives."""
    records = [r for name in ("presets", "exact", "sampled") for r in read_records(results / name)]
    return negatives_table(records, ("grace", "grace+homogcl"), DATA[2:])


def _released(results: Path) -> Table:
    """Return what the published code's way of computing gives, beside the paper's HomoGCL."""
    folder = results / "presets"
    presets = read_records(folder) if folder.is_dir() else []
    name, methods = "grace+released", (*UNTRAINED, "grace")
    records = [
        *(run for run in presets if run.method in methods),
        *read_records(results / "released"),
    ]
    printed = [each for each in read("classification") if each.method in methods]
    own = [replace(r, method=name) for r in read("classification") if r.method == "grace+homogcl"]
    return classification_table(records, [*printed, *own], (*methods, name), DATA[:1])


def _combined(base: str, data: Sequence[str]) -> Callable[[Path], Table]:
    """Return the function for the table of several changed settings of the plug-in."""
    return lambda results: levers(results, base, data, "study/combined")


def _measures(*parts: str) -> Callable[[Path], Table]:
    """Return the function for the table of these parts of the benchmarks."""
    return lambda results: measures_table(_bench(results), parts)


def _bench(results: Path) -> Path:
    """Return the file of the measures, beside the folder of records."""
    return results.parent / "benchmarks" / "results.json"


TABLES: dict[str, Callable[[Path], Table]] = {
    "flagship": _flagship,
    "costs": lambda results: costs_table(read_records(results / "presets"), COSTED, DATA),
    "foundation": _foundation,
    "foundation-clustering": _foundation_clustering,
    "classification": classification,
    "clustering": clustering,
    "bgrl": bgrl,
    "ablation": ablation,
    "arxiv": arxiv,
    "arxiv-text": text_proxy,
    "plugin": _plugin,
    "differences": _differences,
    "verdicts": lambda results: verdicts_table(_printed_rows(results)),
    "verdict-counts": lambda results: counts_table(_printed_rows(results)),
    "published-budgets": published_budgets,
    "epochs": _epochs,
    "negatives": _negatives,
    "released": _released,
    "probes": probes,
    "budgets": budgets,
    "forms": forms,
    "levers-grace": lambda results: levers(results, "grace"),
    "levers-bgrl": lambda results: levers(results, "bgrl"),
    "combined-grace": _combined("grace", ("cora", "pubmed")),
    "combined-ccassg": _combined("ccassg", DATA[:2]),
    "stopping": lambda results: stopping_table(
        read_records(results / "study" / "training"), untrained_runs(results)
    ),
    "encoders": encoders,
    "encoder-parts": encoder_parts,
    "advice": advice,
    "advice-rates": rates,
    "rivals": rivals,
    "edge-scores": edge_scores,
    "edge-reliability": reliability,
    "forecast": forecast,
    "cold-start": cold_start,
    "form": form,
    "goals": goals,
    "goals-clustering": lambda results: goals(results, CLUSTER_GOALS),
    "goals-presets": adaptive_on_presets,
    "goals-shipped": lambda results: goals_of(read_records(results / "presets"), SHIPPED_GOALS),
    "goals-exact": lambda results: goals_of(
        [*read_records(results / "exact"), *untrained_runs(results)], EXACT_GOALS
    ),
    "wrong-edges": wrong_edges,
    "robustness": robustness,
    "unseen": unseen,
    "batches": batches,
    "refresh": refresh,
    "neighbor-methods": neighbor_methods,
    "bench": _measures(*GRACE_PARTS),
    "bench-probe": _measures("probe"),
    "bench-steps": _measures("plugins", "bgrl", "encoders", "earlier"),
    "bench-quality": _measures("quality"),
    "bench-budget": _measures("budget"),
    "headline": lambda results: headline_table(_bench(results)),
    "tutorial": _measures("tutorial"),
    "scale": _measures("scale"),
    "index": _measures("index"),
    "hosts": _measures("hosts"),
    "large": _measures("large"),
    "arxiv-step": _measures("arxiv-step", "arxiv-epoch"),
    "sampling": lambda results: sampling_table(_bench(results)),
    "methods": lambda results: methods_table(_bench(results)),
}
