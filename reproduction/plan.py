"""The trainings behind a table of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from homogcl.presets.resolve import resolve
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining, Training
from reproduction.reported.numbers import read

# The paper has five runs per number; here three where one takes hours on two cores.
SEEDS = {"cora": 5, "citeseer": 5, "photo": 5, "pubmed": 5, "computers": 5, "arxiv": 3}
QUICK_DATA = "demo"
QUICK_EPOCHS = 2
# The smallest settings that make sense; a method gets those that it has.
QUICK: Mapping[str, object] = {
    **{"warmup_epochs": 0, "hidden_dim": 16, "out_dim": 8, "predictor_dim": 16},
    **{"walks_per_node": 1, "walk_length": 10, "window": 2, "powers": (0, 1)},
}

Variant = tuple[str, str]  # a method, and the paper's name of the variant


@dataclass(frozen=True)
class Plan:
    """The content of a table: all numbers that the paper prints there, and further methods.

    Attributes:
        table: Its name among the reported tables.
        tasks: The tasks that score the embeddings.
        compared: Methods to run that the paper does not print there.
        left_out: Methods that the paper prints and that cannot run.
        folder: Folder of the records with preset settings.
        varied: Folder of the records with other settings.
        settings: Settings that differ from the preset's.
    """

    table: str
    tasks: tuple[str, ...] = ("probe",)
    compared: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    folder: str = "presets"
    varied: str = "presets"
    settings: Mapping[Variant, Mapping[str, object]] = field(default_factory=dict)

    def trainings(self, quick: bool) -> list[Training]:
        """Return the trainings, on a small generated graph and for few steps if `quick`."""
        return [
            self._training(data, variant, seed, quick)
            for data, variant in self._rows(quick)
            for seed in range(1 if quick else SEEDS[data])
        ]

    def _rows(self, quick: bool) -> list[tuple[str, Variant]]:
        printed = [each for each in read(self.table) if each.method not in self.left_out]
        data = dict.fromkeys(each.data for each in printed)
        rows = [(name, (method, "")) for name in data for method in self.compared]
        rows += [(each.data, (each.method, each.variant)) for each in printed]
        return list(
            dict.fromkeys((QUICK_DATA if quick else name, variant) for name, variant in rows)
        )

    def _training(self, data: str, variant: Variant, seed: int, quick: bool) -> GraphTraining:
        changes = self.settings.get(variant, {})
        overrides = {**(quick_settings(variant[0]) if quick else {}), **changes}
        spec = Request(variant[0], data, seed, overrides, tasks=self.tasks)
        return GraphTraining(spec, self.varied if changes else self.folder)


def quick_settings(method: str) -> dict[str, object]:
    """Return the overrides that make a method quick."""
    usual = resolve(method, QUICK_DATA)
    settings: dict[str, object] = {key: QUICK[key] for key in QUICK if key in usual.flat()}
    # A method without training stays without.
    return {**settings, "epochs": min(QUICK_EPOCHS, usual.train.epochs)}
