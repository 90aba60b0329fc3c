"""The runs behind figures, and their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.pages.metric_cells import has_metric
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining, Training, command
from reproduction.vision.image_training import ImageMethod, ImageTraining
from reproduction.vision.images import ImageData, available_images

SEEDS, QUICK_SEEDS = 3, 2

NO_AUGMENTATION: Mapping[str, object] = {
    "drop_edge_1": 0.0,
    "drop_edge_2": 0.0,
    "mask_feature_1": 0.0,
    "mask_feature_2": 0.0,
}
# Small enough that all quick figures together take a minute or two.
QUICK_PERCEPTRON: Mapping[str, object] = {"epochs": 100}
QUICK_ENCODER: Mapping[str, object] = {
    "epochs": 10,
    "hidden_dim": 64,
    "out_dim": 32,
    "learning_rate": 1e-2,
}
QUICK_SIMCLR: Mapping[str, object] = {"epochs": 8, "widths": (8, 16), "batch_size": 128}
# Three seeds, with and without augmentation, take a quarter of an hour.
FULL_SIMCLR: Mapping[str, object] = {
    "epochs": 15,
    "widths": (16, 32, 64, 128),
    "stem_stride": 2,
}
# Digits, which replace missing images, have 8 x 8 pixels.
DIGITS_SIMCLR: Mapping[str, object] = {"epochs": 30, "widths": (16, 32), "batch_size": 128}
FULL_PERCEPTRON: Mapping[str, object] = {
    "epochs": 200,
    "hidden_dim": 128,
    "input_dropout": 0.0,
    "learning_rate": 1e-3,
}

TITLES = {
    "cora": "Cora",
    "citeseer": "CiteSeer",
    "photo": "Photo",
    "demo": "demo graph",
    "cifar10": "CIFAR-10",
    "digits": "digits",
}


@dataclass(frozen=True)
class Runs:
    """Trainings that differ only in the seed, with their name in a figure."""

    name: str
    data: str
    trainings: tuple[Training, ...]


@dataclass(frozen=True)
class GraphRuns:
    """Trainings on graphs that differ only in the seed.

    Attributes:
        method: A method's name.
        folder: Folder of the full records, `presets` for preset settings.
        overrides: Settings that replace those of the preset.
        tasks: The tasks to score.
        milestones: Returns the epochs to score after, for the quick form or the full one.
    """

    method: str
    folder: str
    overrides: Mapping[str, object] | None = None
    tasks: tuple[str, ...] = ("probe",)
    milestones: Callable[[bool], tuple[int, ...]] = lambda quick: ()

    def on(self, data: str, name: str, *, quick: bool) -> Runs:
        """Return the runs on `data`, called `name`; quick runs use the generated graph."""
        # Raw features have no settings to make smaller.
        short = {"mlp": QUICK_PERCEPTRON, "raw": {}, "propagation": {}}.get(
            self.method, QUICK_ENCODER
        )
        settings = {**(short if quick else {}), **(self.overrides or {})}
        graph = "demo" if quick else data
        specs = [
            Request(self.method, graph, seed, settings, None, self.milestones(quick), self.tasks)
            for seed in range(QUICK_SEEDS if quick else SEEDS)
        ]
        folder = records_folder(self.folder, quick=quick)
        return Runs(name, graph, tuple(GraphTraining(spec, folder) for spec in specs))


def image_runs(
    method: ImageMethod, name: str, more: Mapping[str, object] | None = None, *, quick: bool
) -> Runs:
    """Return the runs of a method on images.

    The images are CIFAR-10 if available, else digits; quick runs always use digits.
    """
    data: ImageData = "digits" if quick else available_images()
    simclr = FULL_SIMCLR if data == "cifar10" else DIGITS_SIMCLR
    full = {"simclr": simclr, "mlp": FULL_PERCEPTRON, "pixels": {}}
    short = {"simclr": QUICK_SIMCLR, "mlp": QUICK_PERCEPTRON, "pixels": {}}
    settings = {**(short if quick else full)[method], **(more or {})}
    folder = records_folder("figures/images", quick=quick)
    # On pixels, the seed only changes the validation images.
    seeds = 1 if method == "pixels" else QUICK_SEEDS if quick else SEEDS
    trainings = (ImageTraining(method, data, seed, folder, settings) for seed in range(seeds))
    return Runs(name, data, tuple(trainings))


def records_folder(folder: str, *, quick: bool) -> str:
    """Return the folder of the records; quick records have a folder of their own."""
    return f"quick/{folder}" if quick else folder


def all_trainings(runs: Iterable[Runs]) -> list[Training]:
    """Return every training of the runs."""
    return [training for each in runs for training in each.trainings]


@dataclass(frozen=True)
class FigureRecords:
    """The records of a figure, with an error for a missing one."""

    results: Path
    figure: str
    quick: bool

    def records(self, runs: Runs, metric: str) -> list[Record]:
        """Return the records of the runs; refuse a record that is missing or lacks `metric`."""
        return [self.record(training, metric) for training in runs.trainings]

    def record(self, training: Training, metric: str) -> Record:
        """Return the record of one training."""
        record = training.find_record(self.results)
        if record is None or not has_metric(record, metric):
            raise self.missing(training)
        return record

    def missing(self, training: Training) -> UserError:
        """Return the error that names the missing record and the command that makes it."""
        return UserError(
            f"the figure {self.figure} needs {training.label}, of which {self.results} has no "
            f"record: run `{command(self.figure, quick=self.quick)}`"
        )
