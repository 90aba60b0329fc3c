"""A search for settings that never looks at a test label.

Trials are drawn by optuna and kept in its journal, a file to which each trial adds lines, so that
a search that was interrupted goes on where it was. The first trial is the preset.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from homogcl.core.errors import UnknownName, UserError
from homogcl.core.files import write_atomically
from homogcl.core.seeds import integer
from homogcl.evaluate.links import link_scores
from homogcl.methods.inference import embeddings
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import ANY_DATA
from homogcl.runs.run import Run
from homogcl.runs.scores import scores, with_edges_held_out, without_test_labels
from homogcl.runs.train import Trained, fit_run, new_method
from homogcl.training.loop import NotFinite

JOURNAL, BEST = "journal.jsonl", "best.toml"


@dataclass(frozen=True)
class Range:
    """The values that a setting is searched among."""

    low: float
    high: float
    log: bool = False  # whether ratios count, not differences
    whole: bool = False

    def suggest(self, trial: Any, name: str) -> float | int:
        """Return the value that optuna tries."""
        if self.whole:
            number: int = trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
            return number
        value: float = trial.suggest_float(name, self.low, self.high, log=self.log)
        return value

    def nearest(self, value: float) -> float:
        """Return the value of the range that is nearest to `value`."""
        return min(max(value, self.low), self.high)


_RATE = Range(0.0, 0.8)
_WEIGHT = Range(0.1, 10.0, log=True)

# A method is searched in those of its settings that stand here; epochs and widths, which buy
# accuracy with time, are the user's choice.
SPACE: dict[str, Range] = {
    "learning_rate": Range(1e-4, 1e-2, log=True),
    "temperature": Range(0.1, 1.0),
    "drop_edge_1": _RATE,
    "drop_edge_2": _RATE,
    "mask_feature_1": _RATE,
    "mask_feature_2": _RATE,
    "momentum": Range(0.9, 0.999),
    "dropout": _RATE,
    "num_clusters": Range(5, 30, whole=True),
    "two_sigma_sq": Range(1e-4, 1e-1, log=True),
    "homophily_weight": _WEIGHT,
    "neighbor_weight": _WEIGHT,
}


@dataclass(frozen=True)
class Search:
    """A method on a data set, and what its settings are chosen by."""

    method: str  # with plug-ins behind plus signs
    data: str  # the data set whose preset is the start
    criterion: str = "val"  # of `CRITERIA`
    overrides: Mapping[str, object] = field(default_factory=dict)  # settings that stay
    seed: int = 0

    def settings(self, tried: Mapping[str, object] | None = None) -> Settings:
        """Return the settings of a trial, or those that the search starts from."""
        return resolve(self.method, self.data, {**self.overrides, **(tried or {})})

    def space(self, nodes: int) -> dict[str, Range]:
        """Return the ranges of the settings that are searched: free ones that have an effect."""
        start = self.settings().flat()
        free = {k: r for k, r in SPACE.items() if k in start and k not in self.overrides}
        space = {k: r for k, r in free.items() if self._accepts(k, r)}
        if "num_clusters" in space:
            space["num_clusters"] = Range(min(5, nodes), min(30, nodes), whole=True)
        return space

    def _accepts(self, key: str, values: Range) -> bool:
        """Return whether the method takes other values than its own, not all of which it may."""
        try:
            for value in (values.low, values.high):
                self.settings({key: int(value) if values.whole else value})
        except UserError:
            return False
        return True


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and how good they are; None if their training broke down."""

    number: int
    settings: dict[str, float | int]
    score: float | None


def search(
    what: Search,
    graph: Data,
    trials: int,
    folder: Path,
    on_trial: Callable[[Trial], None] | None = None,
) -> list[Trial]:
    """Return all trials, after running those that the journal in `folder` lacks of `trials` in all.

    The graph needs a split if the criterion is `val`.
    """
    if what.criterion not in CRITERIA:
        raise UnknownName("criterion", what.criterion, CRITERIA)
    score = CRITERIA[what.criterion](what, graph)
    space = what.space(int(graph.num_nodes or 0))
    _check_trains(what, graph)
    study = _study(what, space, folder)
    while len(finished := _finished(study)) < trials:
        asked = study.ask()
        tried = {name: each.suggest(asked, name) for name, each in space.items()}
        try:
            value: float | None = score(what.settings(tried))
            study.tell(asked, value)
        except NotFinite:
            value = None
            study.tell(asked, state=_optuna().trial.TrialState.FAIL)
        if on_trial:
            on_trial(Trial(asked.number, tried, value))
    write_atomically(folder / BEST, toml(what, finished).encode())
    return finished


def best(trials: list[Trial]) -> Trial:
    """Return the trial with the highest score, the earliest of equals."""
    scored = [trial for trial in trials if trial.score is not None]
    if not scored:
        raise UserError("no trial could be trained to its end; fix learning_rate with --set")
    return max(scored, key=lambda trial: (trial.score or 0.0, -trial.number))


def toml(what: Search, trials: list[Trial]) -> str:
    """Return the best settings, and those that stayed, as a preset file."""
    winner = best(trials)
    lines = [
        f"[{ANY_DATA}]",
        f'source = "homogcl tune {what.method} {what.data}: {what.criterion} {winner.score:.4f}, '
        f'best of {len(trials)} trials, seed {what.seed}"',
    ]
    values = {**dict(what.overrides), **winner.settings}
    return "\n".join([*lines, *(f"{key} = {json.dumps(v)}" for key, v in values.items())]) + "\n"


Score = Callable[[Settings], float]


def by_validation(what: Search, graph: Data) -> Score:
    """Return a function that scores settings by the probe's accuracy on validation nodes.

    The labels of all nodes outside training and validation are taken away first.
    """
    seen = without_test_labels(graph, "--criterion val (unlike label-free)")

    def score(settings: Settings) -> float:
        trained = _trained(what, settings, seen)
        probe = scores(trained.method, seen, what.seed, ("probe",), form=trained.form)
        return probe["val_accuracy"]

    return score


def by_links(what: Search, graph: Data) -> Score:
    """Return a function that scores settings by how well cosines of embeddings find hidden edges.

    It is the share of cases in which an edge that training did not see has a higher cosine than
    a pair of nodes without one. No label is needed; but settings that make neighbors alike are
    favored, whether or not they are of one class.
    """
    part, links = with_edges_held_out(graph, what.settings().data.features, what.seed)

    def score(settings: Settings) -> float:
        trained = _trained(what, settings, part)
        return link_scores(embeddings(trained.method, part, trained.form), links)["link_auc"]

    return score


CRITERIA: dict[str, Callable[[Search, Data], Score]] = {
    "val": by_validation,
    "label-free": by_links,
}


def _trained(what: Search, settings: Settings, graph: Data) -> Trained:
    return fit_run(Run.of(what.method, settings, graph, what.seed))


def _check_trains(what: Search, graph: Data) -> None:
    method = new_method(Run.of(what.method, what.settings(), graph, what.seed))
    if not any(parameter.requires_grad for parameter in method.parameters()):
        raise UserError(f"{what.method} trains nothing that settings could be searched for")


def _study(what: Search, space: Mapping[str, Range], folder: Path) -> Any:
    optuna = _optuna()
    folder.mkdir(parents=True, exist_ok=True)
    fixed = json.dumps(dict(what.overrides), sort_keys=True)
    name = f"{what.method} on {what.data} by {what.criterion}, seed {what.seed}, {fixed}"
    backend = optuna.storages.journal.JournalFileBackend(str(folder / JOURNAL))
    storage = optuna.storages.JournalStorage(backend)
    begun = name in {each.study_name for each in storage.get_all_studies()}
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        direction="maximize",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=integer(what.seed, "tune")),
    )
    if not begun:
        start = what.settings().flat()
        study.enqueue_trial(
            {key: each.nearest(float(str(start[key]))) for key, each in space.items()}
        )
    return study


def _finished(study: Any) -> list[Trial]:
    states = _optuna().trial.TrialState
    return [
        Trial(each.number, dict(each.params), each.value)
        for each in study.get_trials(deepcopy=False)
        if each.state in {states.COMPLETE, states.FAIL}
    ]


def _optuna() -> Any:
    try:
        import optuna
        import optuna.storages.journal
    except ImportError:
        raise UserError("tuning needs optuna: pip install 'homogcl[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
