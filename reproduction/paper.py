"""The paper's tables: what each is made of, and its three forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from homogcl.core.files import write_atomically
from homogcl.pages.table import Table, to_csv, to_latex, to_markdown
from reproduction.artifact import Artifact
from reproduction.plan import QUICK_DATA, Plan
from reproduction.statistics import DATA, statistics_table
from reproduction.tables import readme

Make = Callable[..., Table]  # of a folder of records and, where not the paper's, of data sets

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
    left_out=("progcl",),  # its mixture is fitted to all pairs of nodes
    folder="arxiv",
    varied="arxiv",
    settings={
        # One exact step takes as long as a whole training with sampled negatives.
        ("grace", ""): {"negatives": "exact", "recompute": True, "epochs": 2},
        **{
            ("grace", f"subsampling k={k}"): {"negatives": "sampled", "num_negatives": k}
            for k in (2, 8, 2048)
        },
    },
)


def write_table(out: Path, name: str, title: str, table: Table) -> list[Path]:
    """Write a table as Markdown, LaTeX and CSV into the folder `out` and return the files."""
    texts = {
        "md": f"# {title}\n\n{to_markdown(table)}\n",
        "tex": f"% {title}\n{to_latex(table)}\n",
        "csv": to_csv(table),
    }
    return [
        write_atomically(out / f"{name}.{ending}", text.encode()) for ending, text in texts.items()
    ]


def _artifact(name: str, paper: str, make: Make, plan: Plan | None) -> Artifact:
    """Return the artifact of a table; one without a plan needs no training."""

    def write(results: Path, out: Path, quick: bool) -> list[Path]:
        table = make(results, (QUICK_DATA,)) if quick else make(results)
        return write_table(out, name, paper, table)

    return Artifact(name, paper, lambda quick: plan.cells(quick) if plan else [], write)


def _statistics(results: Path, data: Sequence[str] = DATA) -> Table:
    return statistics_table(data)


_TABLES: tuple[tuple[str, str, Make, Plan | None], ...] = (
    ("statistics", "Table 1: data sets", _statistics, None),
    (
        "classification",
        "Table 2: node classification, test accuracy (%)",
        readme.classification,
        Plan("classification", compared=("random",)),
    ),
    (
        "clustering",
        "Table 3: node clustering",
        readme.clustering,
        Plan("clustering", ("probe", "cluster"), compared=("grace",)),
    ),
    ("bgrl", "Table 4: HomoGCL on BGRL, test accuracy (%)", readme.bgrl, Plan("bgrl")),
    ("arxiv", "Table 5: ogbn-arxiv, accuracy (%)", readme.arxiv, _ARXIV),
    ("ablation", "Table 7: ablation, test accuracy (%)", readme.ablation, _ABLATION),
)
TABLE_ARTIFACTS: dict[str, Artifact] = {
    name: _artifact(name, paper, make, plan) for name, paper, make, plan in _TABLES
}
