"""Which trainings a table of the paper is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from homogcl.presets.resolve import resolve
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining, Training
from reproduction.reported.numbers import read

# The paper has five runs per number; one where a run takes long on two cores.
SEEDS = {"cora": 5, "citeseer": 5, "photo": 5, "pubmed": 1, "computers": 1, "arxiv": 1}
QUICK_DATA = "demo"
# As small as a method can be and still be itself; a method gets those that it has.
QUICK = {
    **{"epochs": 2, "warmup_epochs": 0, "hidden_dim": 16, "out_dim": 8, "predictor_dim": 16},
    **{"walks_per_node": 1, "walk_length": 10, "window": 2},
}

Way = tuple[str, str]  # a method, and the paper's word for the way it was run


@dataclass(frozen=True)
class Plan:
    """What a table needs: all that the paper prints in it, and what that is compared with.

    Attributes:
        table: Its name among the reported ones.
        tasks: What the embeddings are scored on.
        compared: Methods that the paper does not print there and that are run all the same.
        left_out: Methods that it prints and that cannot be run.
        folder: Where the records of presets lie.
        varied: Where the records of other settings lie.
        settings: How settings differ from the preset's.
    """

    table: str
    tasks: tuple[str, ...] = ("probe",)
    compared: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    folder: str = "presets"
    varied: str = "presets"
    settings: Mapping[Way, Mapping[str, object]] = field(default_factory=dict)

    def trainings(self, quick: bool) -> list[Training]:
        """Return the trainings, on a small generated graph and for few steps if `quick`."""
        return [
            self._training(data, way, seed, quick)
            for data, way in self._rows(quick)
            for seed in range(1 if quick else SEEDS[data])
        ]

    def _rows(self, quick: bool) -> list[tuple[str, Way]]:
        printed = [each for each in read(self.table) if each.method not in self.left_out]
        data = dict.fromkeys(each.data for each in printed)
        rows = [(name, (method, "")) for name in data for method in self.compared]
        rows += [(each.data, (each.method, each.variant)) for each in printed]
        return list(dict.fromkeys((QUICK_DATA if quick else name, way) for name, way in rows))

    def _training(self, data: str, way: Way, seed: int, quick: bool) -> GraphTraining:
        changed = self.settings.get(way, {})
        overrides = {**(quick_settings(way[0]) if quick else {}), **changed}
        spec = Request(way[0], data, seed, overrides, tasks=self.tasks)
        return GraphTraining(spec, self.varied if changed else self.folder)


def quick_settings(method: str) -> dict[str, object]:
    """Return how a method's settings differ where it has to be quick."""
    usual = resolve(method, QUICK_DATA)
    settings: dict[str, object] = {key: QUICK[key] for key in QUICK if key in usual.flat()}
    # A method that is not trained stays so.
    return {**settings, "epochs": min(QUICK["epochs"], usual.train.epochs)}
