"""The runs that figures are made of, and their records once there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining, Training, command
from reproduction.vision.image_training import ImageMethod, ImageTraining
from reproduction.vision.images import ImageData, images_at_hand

SEEDS, QUICK_SEEDS = 3, 2

NO_AUGMENTATION: Mapping[str, object] = {
    "drop_edge_1": 0.0,
    "drop_edge_2": 0.0,
    "mask_feature_1": 0.0,
    "mask_feature_2": 0.0,
}
# Narrow and short enough that all quick figures together take a minute or two.
QUICK_PERCEPTRON: Mapping[str, object] = {"epochs": 100}
QUICK_ENCODER: Mapping[str, object] = {
    "epochs": 10,
    "hidden_dim": 64,
    "out_dim": 32,
    "learning_rate": 1e-2,
}
QUICK_SIMCLR: Mapping[str, object] = {"epochs": 8, "widths": (8, 16), "batch_size": 128}
# A network of which three seeds, with augmentation and without, take a quarter of an hour.
FULL_SIMCLR: Mapping[str, object] = {
    "epochs": 15,
    "widths": (16, 32, 64, 128),
    "stem_stride": 2,
}
# Digits, in place of images that are not at hand, have 8 x 8 pixels.
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
    """Trainings that differ in the seed alone, and what a figure calls them."""

    name: str
    data: str
    trainings: tuple[Training, ...]


@dataclass(frozen=True)
class GraphRuns:
    """What trainings on graphs have in common where only the seed differs.

    Attributes:
        method: A method's name.
        folder: Where the full records go, `presets` where the settings are the preset's.
        overrides: Settings that prevail over the preset's.
        tasks: What is scored.
        milestones: Returns the epochs to score after; its argument says whether it is quick.
    """

    method: str
    folder: str
    overrides: Mapping[str, object] | None = None
    tasks: tuple[str, ...] = ("probe",)
    milestones: Callable[[bool], tuple[int, ...]] = lambda quick: ()

    def on(self, data: str, name: str, *, quick: bool) -> Runs:
        """Return the runs on `data`, called `name`; the quick ones are on the generated graph."""
        # Features as they are have nothing that could be made smaller.
        short = {"mlp": QUICK_PERCEPTRON, "raw": {}}.get(self.method, QUICK_ENCODER)
        settings = {**(short if quick else {}), **(self.overrides or {})}
        graph = "demo" if quick else data
        specs = [
            Request(self.method, graph, seed, settings, None, self.milestones(quick), self.tasks)
            for seed in range(QUICK_SEEDS if quick else SEEDS)
        ]
        folder = place(self.folder, quick=quick)
        return Runs(name, graph, tuple(GraphTraining(spec, folder) for spec in specs))


def image_runs(
    method: ImageMethod, name: str, more: Mapping[str, object] | None = None, *, quick: bool
) -> Runs:
    """Return the runs of a method on images; several figures are made of them.

    The images are CIFAR-10's where they are at hand, and digits elsewhere and if `quick`.
    """
    data: ImageData = "digits" if quick else images_at_hand()
    simclr = FULL_SIMCLR if data == "cifar10" else DIGITS_SIMCLR
    full = {"simclr": simclr, "mlp": FULL_PERCEPTRON, "pixels": {}}
    short = {"simclr": QUICK_SIMCLR, "mlp": QUICK_PERCEPTRON, "pixels": {}}
    settings = {**(short if quick else full)[method], **(more or {})}
    folder = place("figures/images", quick=quick)
    # Of pixels, chance decides no more than who validates.
    seeds = 1 if method == "pixels" else QUICK_SEEDS if quick else SEEDS
    trainings = (ImageTraining(method, data, seed, folder, settings) for seed in range(seeds))
    return Runs(name, data, tuple(trainings))


def place(folder: str, *, quick: bool) -> str:
    """Return the folder of the records; quick ones never lie among the others."""
    return f"quick/{folder}" if quick else folder


def all_trainings(runs: Iterable[Runs]) -> list[Training]:
    """Return every training of the runs."""
    return [training for each in runs for training in each.trainings]


@dataclass(frozen=True)
class Shelf:
    """Where a figure finds its records, and what to say of one that is not there."""

    results: Path
    figure: str
    quick: bool

    def records(self, runs: Runs, metric: str) -> list[Record]:
        """Return the runs' records, each of which has `metric`, or refuse the first that fails."""
        return [self.record(training, metric) for training in runs.trainings]

    def record(self, training: Training, metric: str) -> Record:
        """Return the record of one training."""
        record = training.find_record(self.results)
        if record is None or metric not in record.metrics:
            raise self.missing(training)
        return record

    def missing(self, training: Training) -> UserError:
        """Return the error that says what is missing and which command makes it."""
        return UserError(
            f"the figure {self.figure} needs {training.label}, of which {self.results} has no "
            f"record: run `{command(self.figure, quick=self.quick)}`"
        )
