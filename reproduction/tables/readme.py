"""The tables that README and docs show, by name, made of records and kept measures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.pages.table import Table, insert_between_markers
from homogcl.runs.record import Record, read_records
from reproduction.reported import causes, read
from reproduction.tables.encoders import encoders_table
from reproduction.tables.goals import Goal, adaptive_runs, goals_table
from reproduction.tables.levers import levers_table
from reproduction.tables.overview import (
    differences_table,
    negatives_table,
    overview_table,
    plugin_table,
    variants_table,
)
from reproduction.tables.results import classification_table, clustering_table, milestone_table
from reproduction.tables.stopped import stopping_table

DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
# In the paper's order, then what it compares with elsewhere.
METHODS = (
    *("raw", "mlp", "random", "deepwalk", "node2vec", "gcn", "gat", "sage", "gae", "vgae", "dgi"),
    *("hdi", "gmi", "infogcl", "mvgrl", "gbt", "bgrl", "afgrl", "ccassg", "costa", "grace", "gca"),
    *("progcl", "ariel", "gcool", "grace+homogcl"),
)
BASES = ("grace", "gca", "progcl", "ariel", "gcool", "costa", "ccassg", "gbt", "bgrl", "afgrl")
LEVERS_DATA = ("cora", "citeseer", "photo")
ACCURACY_GOALS = tuple(
    Goal(base, data, "test_accuracy") for base in ("grace", "bgrl") for data in DATA
)
# What the plug-in does as shipped; the paper has no row of CCA-SSG with it.
SHIPPED_GOALS = (
    *ACCURACY_GOALS,
    *(Goal("ccassg", data, "test_accuracy", "grace+homogcl") for data in DATA),
)
EXACT_GOALS = tuple(Goal("grace", "photo", of) for of in ("test_accuracy", "nmi", "ari"))
# The paper has no clusters of BGRL with the plug-in, which is held to those of GRACE with it.
CLUSTER_GOALS = tuple(
    Goal(base, data, of, "grace+homogcl")
    for base in ("grace", "bgrl")
    for data in DATA[3:]
    for of in ("nmi", "ari")
)
FOUNDATION = ("raw", "random", "grace", "grace+homogcl")


def named_table(name: str, results: Path) -> Table:
    """Return the table called `name` from the folder of records `results`."""
    return TABLES[name](results)


def shown_tables(root: Path, names: Iterable[str]) -> dict[str, Table]:
    """Return the tables called `names` of the project in the folder `root`."""
    return {name: named_table(name, root / "results") for name in names}


def insert(path: Path, name: str, table: Table) -> None:
    """Put a table between its markers in a text file."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    write_atomically(path, insert_between_markers(text, name, table).encode())


def _foundation(results: Path) -> Table:
    records = read_records(results / "presets")
    return classification_table(records, read("classification"), FOUNDATION, DATA)


def _foundation_clustering(results: Path) -> Table:
    records = read_records(results / "exact")
    return clustering_table(records, read("clustering"), FOUNDATION[2:], ("photo",))


def classification(results: Path, data: Sequence[str] = DATA) -> Table:
    """Return the paper's table of accuracies."""
    records = read_records(results / "presets")
    printed = read("classification")
    return overview_table(records, printed, METHODS, data, {"test_accuracy": ""})


def clustering(results: Path, data: Sequence[str] = DATA[3:]) -> Table:
    """Return the paper's table of clusterings."""
    records = read_records(results / "presets")
    titles = {"nmi": " NMI", "ari": " ARI"}
    return overview_table(records, read("clustering"), METHODS, data, titles)


def bgrl(results: Path, data: Sequence[str] = DATA[2:]) -> Table:
    """Return the paper's table of HomoGCL on BGRL."""
    records = read_records(results / "presets")
    methods = ("bgrl", "bgrl+homogcl")
    return classification_table(records, read("bgrl"), methods, data)


def ablation(results: Path, data: Sequence[str] = DATA[:1]) -> Table:
    """Return the paper's ablation: hard neighbors, and no homophily loss."""
    methods = ("grace", "grace+homogcl", "grace+hard")
    records = [r for r in _records(results, "presets", "ablation") if r.method in methods]
    return variants_table(records, read("ablation"), data, {"test_accuracy": "Test (%)"}, _ablated)


def arxiv(results: Path, data: Sequence[str] = ("arxiv",)) -> Table:
    """Return the paper's table of the large graph, with the features that were learned from."""
    records = read_records(results / "arxiv")
    titles = {"val_accuracy": "Validation (%)", "test_accuracy": "Test (%)"}
    return variants_table(records, read("arxiv"), data, titles, _subsampled)


def _ablated(record: Record) -> str:
    """Return the variant of a run as the paper's ablation calls it."""
    return "without homophily loss" if record.setting("homophily_weight") == 0 else ""


def _subsampled(record: Record) -> str:
    """Return the variant of a run as the paper's table of the large graph calls it."""
    sampled = record.setting("negatives") == "sampled"
    return f"subsampling k={record.setting('num_negatives')}" if sampled else ""


def _records(results: Path, *folders: str) -> list[Record]:
    """Return the records of those of the folders that are there."""
    there = [results / name for name in folders if (results / name).is_dir()]
    return [r for folder in there or [results / folders[0]] for r in read_records(folder)]


def _there(results: Path, folder: str) -> list[Record]:
    """Return the records of a folder, none where it is not there."""
    return read_records(results / folder) if (results / folder).is_dir() else []


def _plugin(results: Path) -> Table:
    printed = [*read("classification"), *read("bgrl")]
    return plugin_table(read_records(results / "presets"), printed, BASES, "homogcl", DATA)


def _differences(results: Path) -> Table:
    records = read_records(results / "presets")
    printed = [*read("classification"), *read("clustering")]
    # The printed BGRL row stands in two tables; with the plug-in it stands in its own alone.
    printed += [each for each in read("bgrl") if each.method != "bgrl"]
    return differences_table(records, printed, causes())


def _epochs(results: Path) -> Table:
    """Return accuracies by epochs on exact negatives, which are the presets' on small graphs."""
    records = [r for r in read_records(results / "presets") if r.data in DATA[:2]]
    records += read_records(results / "exact")
    return milestone_table(records, ("grace", "grace+homogcl"), DATA)


def _negatives(results: Path) -> Table:
    """Return the accuracy on sampled negatives beside that on all of them, and what it took."""
    records = [r for name in ("presets", "exact", "sampled") for r in read_records(results / name)]
    return negatives_table(records, ("grace", "grace+homogcl"), DATA[2:])


def levers(
    results: Path, base: str, data: Sequence[str] = LEVERS_DATA, folder: str = "study/levers"
) -> Table:
    """Return what the settings of the plug-in do on a base, the presets' first."""
    return levers_table(_records(results, "presets", folder), base, "homogcl", data)


def goals(results: Path, held_to: Sequence[Goal] = ACCURACY_GOALS) -> Table:
    """Return how far the adaptive variant gets on settings that it shares with its base."""
    special, shipped, moved = (
        _there(results, name) for name in ("study/goals", "presets", "study/levers")
    )
    return _held(adaptive_runs(special, shipped, moved), held_to)


def _adaptive(results: Path) -> Table:
    """Return what the adaptive variant does on presets whose runs take seconds."""
    runs = adaptive_runs([], *(_there(results, name) for name in ("presets", "study/levers")))
    return _held(runs, [goal for goal in ACCURACY_GOALS if goal.data in DATA[:2]])


def _held(records: Sequence[Record], held_to: Sequence[Goal]) -> Table:
    printed = [*read("classification"), *read("bgrl"), *read("clustering")]
    return goals_table(records, printed, "homogcl", held_to)


def encoders(results: Path, data: Sequence[str] = LEVERS_DATA) -> Table:
    """Return what the plug-in adds to encoders with less message passing than the presets'."""
    return encoders_table(read_records(results / "study" / "encoders"), data)


def _released(results: Path) -> Table:
    records = read_records(results / "released")
    return classification_table(records, read("classification"), ("grace+homogcl",), DATA[:1])


def _bench(results: Path, parts: Sequence[str] = ("peer", "loss", "memory", "growth")) -> Table:
    """Return the kept measures of these parts; they lie beside the folder of records."""
    kept = json.loads((results.parent / "benchmarks" / "results.json").read_text("utf-8"))
    rows = [
        (row["measure"], f"{row['value']:.3g}", row["held_to"])
        for part in parts
        for row in kept.get(part, {"rows": []})["rows"]
    ]
    return Table(("Measure", "Value", "Held to"), tuple(rows), decimals=2)


def _methods(results: Path) -> Table:
    """Return the kept ratios of the methods' steps to GRACE's, a row for each method."""
    kept = json.loads((results.parent / "benchmarks" / "results.json").read_text("utf-8"))
    ratios: dict[str, list[str]] = {}
    for row in kept["methods"]["rows"]:
        ratios.setdefault(row["measure"].split(":")[0], []).append(f"{row['value']:.2f}")
    rows = tuple((name, *both) for name, both in ratios.items())
    return Table(("Method", "Time over grace", "Memory over grace"), rows, decimals=2)


def _sampling(results: Path) -> Table:
    """Return the kept errors of sampled negatives, a row for each M and a column for each kind."""
    kept = json.loads((results.parent / "benchmarks" / "results.json").read_text("utf-8"))
    errors: dict[int, dict[str, str]] = {}
    for row in kept["negatives"]["rows"]:
        name = row["measure"].removesuffix(": error (%)").replace(" tau=", ", τ = ")
        what, _, rest = name.partition(" M=")
        count, _, how = rest.partition(", ")
        errors.setdefault(int(count), {})[f"{what}, {how}" if how else what] = f"{row['value']:.2g}"
    columns = list(dict.fromkeys(name for each in errors.values() for name in each))
    rows = [(m, *(each.get(name) for name in columns)) for m, each in sorted(errors.items())]
    return Table(("M", *columns), tuple(rows), decimals=2)


TABLES: dict[str, Callable[[Path], Table]] = {
    "foundation": _foundation,
    "foundation-clustering": _foundation_clustering,
    "classification": classification,
    "clustering": clustering,
    "bgrl": bgrl,
    "ablation": ablation,
    "arxiv": arxiv,
    "plugin": _plugin,
    "differences": _differences,
    "epochs": _epochs,
    "negatives": _negatives,
    "released": _released,
    "levers-grace": lambda results: levers(results, "grace"),
    "levers-bgrl": lambda results: levers(results, "bgrl"),
    "combined-grace": lambda results: levers(
        results, "grace", ("cora", "pubmed"), "study/combined"
    ),
    "combined-ccassg": lambda results: levers(results, "ccassg", DATA[:2], "study/combined"),
    "stopping": lambda results: stopping_table(read_records(results / "study" / "training")),
    "encoders": encoders,
    "goals": goals,
    "goals-clustering": lambda results: goals(results, CLUSTER_GOALS),
    "goals-presets": _adaptive,
    "goals-shipped": lambda results: _held(read_records(results / "presets"), SHIPPED_GOALS),
    "goals-exact": lambda results: _held(read_records(results / "exact"), EXACT_GOALS),
    "bench": _bench,
    "tutorial": lambda results: _bench(results, ["tutorial"]),
    "scale": lambda results: _bench(results, ["scale"]),
    "arxiv-step": lambda results: _bench(results, ["arxiv-step", "arxiv-epoch"]),
    "sampling": _sampling,
    "methods": _methods,
}
