"""Records made by hand for every figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reproduction.artifact import GraphTraining, Training
from reproduction.catalog import FIGURES
from reproduction.layout_training import LayoutTraining, Points, write_points
from reproduction.vision.image_training import ImageTraining
from tests.records import make_record


def metrics(level: float) -> dict[str, float]:
    """Every metric that a figure may show."""
    ends = {f"edge_homophily_{end:05d}": level + end / 10_000 for end in (500, 1000, 1200)}
    return {
        "test_accuracy": level,
        "nmi": level / 2,
        "edge_homophily": level,
        "saliency_auc": level,
        "positive_similarity": level,
        "negative_similarity": level / 4,
        **ends,
    }


def keep(training: Training, results: Path, level: float) -> None:
    """Write a record by hand where the training has its own."""
    assert isinstance(training, GraphTraining | ImageTraining | LayoutTraining)
    followed = () if isinstance(training, ImageTraining) else training.spec.milestones
    epochs = {str(epoch): metrics(level / epoch) for epoch in followed or (1, 2, 3)}
    seed = training.seed if isinstance(training, ImageTraining) else training.spec.seed
    measured: dict[str, object] = {"metrics": metrics(level), "milestones": epochs}
    record = make_record({"train": {"epochs": 4}}, seed=seed, **measured)
    path = training.path(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record.model_dump_json(), "utf-8")
    if isinstance(training, LayoutTraining):
        at = np.random.default_rng(0).uniform(-1, 1, (30, 2)).astype(np.float32)
        write_points(training.points_path(results), Points(at, np.arange(30) % 7))


def keep_all(name: str, results: Path, quick: bool, level: float = 0.6) -> Sequence[Training]:
    trainings = FIGURES[name].trainings(quick)
    for number, training in enumerate(trainings):
        keep(training, results, level + number / 100)
    return trainings
