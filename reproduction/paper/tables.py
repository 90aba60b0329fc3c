"""The paper's tables: their trainings, and how to make them from records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from homogcl.pages.metric_cells import UNTRAINED
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from reproduction.artifact import Artifact, write_table
from reproduction.paper import datasets
from reproduction.paper.overview import overview_table, plugin_table
from reproduction.paper.variants import variants_table
from reproduction.plan import QUICK_DATA, Plan
from reproduction.reported.numbers import read

DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
# In the order of the paper.
METHODS = (
    *("raw", "mlp", "random", "propagation", "deepwalk", "node2vec", "gcn", "gat", "sage", "gae"),
    *("vgae", "dgi", "hdi", "gmi", "infogcl", "mvgrl", "gbt", "bgrl", "afgrl", "ccassg", "costa"),
    *("grace", "gca", "progcl", "ariel", "gcool", "grace+homogcl"),
)
MakeTable = Callable[..., Table]  # takes a folder of records, and data sets if not the paper's

_NO_LOSS = {"homophily_weight": 0.0}
_ABLATION = Plan(
    "ablation",
    compared=("grace",),
    varied="ablation",
    settings={
        ("grace+homogcl", "without homophily loss"): _NO_LOSS,
        ("grace+hard", "without homophily loss"): _NO_LOSS,
    },
)
_ARXIV = Plan(
    "arxiv",
    left_out=("progcl",),  # fits its mixture to all pairs of nodes
    folder="arxiv",
    varied="arxiv",
    compared=("raw", "propagation"),
    settings={
        ("raw", ""): {"features": "structural"},
        ("propagation", ""): {"features": "structural"},
        # One exact step takes as long as a whole training with sampled negatives.
        ("grace", ""): {"negatives": "exact", "recompute": True, "epochs": 2},
        **{
            ("grace", f"subsampling k={k}"): {"negatives": "sampled", "num_negatives": k}
            for k in (2, 8, 2048)
        },
    },
)


def statistics(results: Path, data: Sequence[str] = datasets.DATA) -> Table:
    """Return the paper's table of data sets, which needs no records."""
    return datasets.datasets_table(data)


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
    return plugin_table(records, read("bgrl"), ("bgrl",), "homogcl", data)


def ablation(results: Path, data: Sequence[str] = DATA[:1]) -> Table:
    """Return the paper's ablation: hard neighbors, and no homophily loss."""
    methods = ("grace", "grace+homogcl", "grace+hard", *UNTRAINED)
    records = [r for r in records_of(results, "presets", "ablation") if r.method in methods]
    titles = {"test_accuracy": "Test (%)"}
    return variants_table(records, read("ablation"), data, titles, ablation_variant, "grace")


def arxiv(results: Path, data: Sequence[str] = ("arxiv",)) -> Table:
    """Return the paper's table of the large graph, with the kind of features."""
    records = read_records(results / "arxiv")
    titles = {"val_accuracy": "Validation (%)", "test_accuracy": "Test (%)"}
    return variants_table(records, read("arxiv"), data, titles, arxiv_variant)


def records_of(results: Path, *folders: str) -> list[Record]:
    """Return the records of the folders that exist; refuse the first if none does."""
    existing = [results / name for name in folders if (results / name).is_dir()]
    return [r for folder in existing or [results / folders[0]] for r in read_records(folder)]


def ablation_variant(record: Record) -> str:
    """Return the variant of a run as the paper's ablation calls it."""
    return "without homophily loss" if record.setting("homophily_weight") == 0 else ""


def arxiv_variant(record: Record) -> str:
    """Return the variant of a run as the paper's table of the large graph calls it."""
    sampled = record.setting("negatives") == "sampled"
    return f"subsampling k={record.setting('num_negatives')}" if sampled else ""


def _artifact(name: str, title: str, make: MakeTable, plan: Plan | None) -> Artifact:
    """Return the artifact of a table; without a plan it needs no training."""

    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        table = make(results, (QUICK_DATA,)) if quick else make(results)
        return write_table(out, name, title, table)

    return Artifact(name, title, lambda quick: plan.trainings(quick) if plan else [], write)


_TABLES: tuple[tuple[str, str, MakeTable, Plan | None], ...] = (
    ("statistics", "Table 1: data sets", statistics, None),
    (
        "classification",
        "Table 2: node classification, test accuracy (%)",
        classification,
        Plan("classification", compared=UNTRAINED),
    ),
    (
        "clustering",
        "Table 3: node clustering",
        clustering,
        Plan("clustering", ("probe", "cluster"), compared=("grace", *UNTRAINED)),
    ),
    ("bgrl", "Table 4: HomoGCL on BGRL, test accuracy (%)", bgrl, Plan("bgrl")),
    ("arxiv", "Table 5: ogbn-arxiv, accuracy (%)", arxiv, _ARXIV),
    ("ablation", "Table 7: ablation, test accuracy (%)", ablation, _ABLATION),
)
PAPER_TABLES: dict[str, Artifact] = {
    name: _artifact(name, title, make, plan) for name, title, make, plan in _TABLES
}
