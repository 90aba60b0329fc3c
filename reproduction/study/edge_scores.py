"""What scores of edges are worth against labels, which they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.evaluate.arrays import dense_embedding
from homogcl.homophily.edges import BINS, cluster_saliencies, saliencies
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.methods.inference import embeddings
from homogcl.nn.pair_products import pair_products
from homogcl.nn.sparse import Pattern
from homogcl.pages.metric_cells import mean_cell
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.train import Trained
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.measured_training import MeasuredTraining
from reproduction.paper.tables import DATA
from reproduction.plan import QUICK_DATA, quick_settings

TITLE = "Scores of edges against labels"
NAME = "edge-scores"
SCORES: Final = {
    "score": "score_auc",
    "cosine": "cosine_auc",
    "S as printed": "printed_auc",
    "cosine of X": "features_auc",
}
SEEDS: Final = 3
_MINUTES: Final = ("pubmed", "photo", "computers")  # that GRACE takes: one seed
_FOLDER: Final = f"study/{NAME}"


def edge_metrics(run: Run, trained: Trained) -> dict[str, float]:
    """Return areas under ROC of scores against one class, and the share of it by bins of ours."""
    graph, method = trained.graph, trained.method
    source, target = graph.edge_index
    once = ((source < target) & (graph.y[source] >= 0) & (graph.y[target] >= 0)).numpy()
    same = (graph.y[source] == graph.y[target]).numpy()[once]
    score = saliencies(method, graph, seed=run.seed).numpy()[once]
    others = {
        "cosine_auc": _cosines(embeddings(method, graph), graph),
        "printed_auc": cluster_saliencies(method, graph, config=HomoGCL.Config(), seed=run.seed),
        "features_auc": _cosines(graph.x, graph),
    }
    areas = {name: float(roc_auc_score(same, each.numpy()[once])) for name, each in others.items()}
    bins = np.digitize(score, BINS[1:-1])
    shares = {
        f"{part}_{number}": float(value)
        for number in range(len(BINS) - 1)
        if (inside := bins == number).any()
        for part, value in (("edges", inside.mean()), ("same", same[inside].mean()))
    }
    return {"score_auc": float(roc_auc_score(same, score)), **areas, **shares}


def _cosines(z: Tensor, graph: Data) -> Tensor:
    unit = normalize(dense_embedding(z).float())
    return pair_products(unit, unit, Pattern.of(graph.edge_index, len(unit)))


def edge_scores_table(records: Iterable[Record]) -> Table:
    """Return the areas under ROC by data set and method."""
    rows = tuple(
        (data, method, *(mean_cell(runs, metric) for metric in SCORES.values()))
        for (data, method), runs in _groups(records).items()
    )
    return Table(("Data set", "Method", *SCORES), rows, decimals=3)


def reliability_table(records: Iterable[Record]) -> Table:
    """Return the share of edges within a class by the score, and how many edges have it."""
    columns = [f"{low:g} to {high:g}" for low, high in pairwise(BINS)]

    def cell(runs: list[Record], number: int) -> str | None:
        has = [run.metrics for run in runs if f"same_{number}" in run.metrics]
        if not has:
            return None
        same, edges = (
            np.mean([each[f"{of}_{number}"] for each in has]) for of in ("same", "edges")
        )
        return f"{100 * same:.0f} % of {100 * edges:.1f} %"

    rows = tuple(
        (data, method, *(cell(runs, number) for number in range(len(columns))))
        for (data, method), runs in _groups(records).items()
    )
    return Table(("Data set", "Method", *columns), rows, decimals=2)


def _groups(records: Iterable[Record]) -> Mapping[tuple[str, str], list[Record]]:
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.data, record.method), []).append(record)
    place = {name: number for number, name in enumerate(DATA)}
    return dict(sorted(groups.items(), key=lambda each: (place.get(each[0][0], 9), each[0][1])))


def edge_scores(results: Path) -> Table:
    """Return the table of areas from the folder of records `results`."""
    return edge_scores_table(read_records(results / _FOLDER))


def reliability(results: Path) -> Table:
    """Return the table of shares from the folder of records `results`."""
    return reliability_table(read_records(results / _FOLDER))


def _trainings(quick: bool) -> list[Training]:
    folder = records_folder(_FOLDER, quick=quick)
    seeds = {data: 1 if data in _MINUTES else SEEDS for data in DATA}
    cells = [("homogcl", data, seed) for data in DATA for seed in range(SEEDS)]
    cells += [("grace", data, seed) for data in DATA for seed in range(seeds[data])]
    return [
        MeasuredTraining(
            Request(method, data, seed, quick_settings(method) if quick else {}, tasks=()),
            folder,
            edge_metrics,
        )
        for method, data, seed in ([("homogcl", QUICK_DATA, 0)] if quick else cells)
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    records = read_records(results / records_folder(_FOLDER, quick=quick))
    return [
        *write_table(out, NAME, TITLE, edge_scores_table(records)),
        *write_table(out, "edge-reliability", TITLE, reliability_table(records)),
    ]


EDGE_SCORES = Artifact(NAME, TITLE, _trainings, _write)
