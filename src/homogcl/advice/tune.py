"""A search for settings that never looks at a test label.

Trials are drawn by optuna and kept in its journal, a file to which each trial adds lines, so that
a search that was interrupted goes on where it was. The first trial is the preset.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from homogcl.core.errors import UnknownName, UserError
from homogcl.core.extras import optional
from homogcl.core.files import write_atomically
from homogcl.core.seeds import integer
from homogcl.evaluate.links import link_scores
from homogcl.methods.inference import embeddings
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import ANY_DATA, NO_DATA_SET
from homogcl.runs.run import Run
from homogcl.runs.scores import scores, with_edges_held_out, without_test_labels
from homogcl.runs.train import fit_run, new_method
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
    """A run whose settings are the start of a search, and what better ones are chosen by."""

    start: Run  # what `Request.resolve` returned; its overrides stay
    criterion: str = "val"  # of `CRITERIA`

    def with_settings(self, values: Mapping[str, object]) -> Run:
        """Return the run with these settings in place of its own."""
        complete = {**self.start.settings.flat(), **values}
        settings = resolve(self.start.method, NO_DATA_SET, complete)
        return replace(self.start, settings=settings)

    def space(self) -> dict[str, Range]:
        """Return the ranges of the settings that are searched: free ones that have an effect."""
        settings, nodes = self.start.settings.flat(), int(self.start.graph.num_nodes or 0)
        free = {k: r for k, r in SPACE.items() if k in settings and k not in self.start.overrides}
        space = {k: r for k, r in free.items() if self._accepts(k, r)}
        if "num_clusters" in space:
            space["num_clusters"] = Range(min(5, nodes), min(30, nodes), whole=True)
        return space

    def _accepts(self, key: str, values: Range) -> bool:
        """Return whether the method accepts both ends of the range."""
        try:
            for value in (values.low, values.high):
                self.with_settings({key: int(value) if values.whole else value})
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
    trials: int,
    folder: Path,
    on_trial: Callable[[Trial], None] | None = None,
) -> list[Trial]:
    """Return all trials, after running those that the journal in `folder` lacks of `trials` in all.

    The graph of the run needs a split if the criterion is `val`.
    """
    if what.criterion not in CRITERIA:
        raise UnknownName("criterion", what.criterion, CRITERIA)
    score = CRITERIA[what.criterion](what.start)
    space = what.space()
    _check_trains(what.start)
    study = _study(what, space, folder)
    while len(finished := _finished(study)) < trials:
        draw = study.ask()
        settings = {name: each.suggest(draw, name) for name, each in space.items()}
        try:
            value: float | None = score(what.with_settings(settings))
            study.tell(draw, value)
        except NotFinite:
            value = None
            study.tell(draw, state=_optuna().trial.TrialState.FAIL)
        if on_trial:
            on_trial(Trial(draw.number, settings, value))
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
    winner, start = best(trials), what.start
    lines = [
        f"[{ANY_DATA}]",
        f'source = "homogcl tune {start.method} {start.name}: {what.criterion} {winner.score:.4f}, '
        f'best of {len(trials)} trials, seed {start.seed}"',
    ]
    values = {**dict(start.overrides), **winner.settings}
    return "\n".join([*lines, *(f"{key} = {json.dumps(v)}" for key, v in values.items())]) + "\n"


Score = Callable[[Run], float]


def by_validation(start: Run) -> Score:
    """Return a function that scores a run by the probe's accuracy on validation nodes.

    The labels of all nodes outside training and validation are taken away first.
    """
    part = without_test_labels(start.graph, "--criterion val (unlike label-free)")

    def score(run: Run) -> float:
        trained = fit_run(run.on(part))
        probe = scores(trained.method, part, run.seed, ("probe",), form=trained.form)
        return probe["val_accuracy"]

    return score


def by_links(start: Run) -> Score:
    """Return a function that scores a run by how well cosines of embeddings find hidden edges.

    It is the share of cases in which an edge that training did not see has a higher cosine than
    a pair of nodes without one. No label is needed; but settings that make neighbors alike are
    favored, whether or not they are of one class.
    """
    part, links = with_edges_held_out(start.graph, start.settings.data.features, start.seed)

    def score(run: Run) -> float:
        trained = fit_run(run.on(part))
        return link_scores(embeddings(trained.method, part, trained.form), links)["link_auc"]

    return score


CRITERIA: dict[str, Callable[[Run], Score]] = {
    "val": by_validation,
    "label-free": by_links,
}


def _check_trains(run: Run) -> None:
    if not any(parameter.requires_grad for parameter in new_method(run).parameters()):
        raise UserError(f"{run.method} trains nothing that settings could be searched for")


def _study(what: Search, space: Mapping[str, Range], folder: Path) -> Any:
    optuna = _optuna()
    folder.mkdir(parents=True, exist_ok=True)
    start = what.start
    fixed = json.dumps(dict(start.overrides), sort_keys=True)
    name = f"{start.method} on {start.name} by {what.criterion}, seed {start.seed}, {fixed}"
    if start.settings.preset is not None:
        name += f", preset {start.settings.preset}"
    backend = optuna.storages.journal.JournalFileBackend(str(folder / JOURNAL))
    storage = optuna.storages.JournalStorage(backend)
    begun = name in {each.study_name for each in storage.get_all_studies()}
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        direction="maximize",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=integer(start.seed, "tune")),
    )
    if not begun:
        preset = start.settings.flat()
        study.enqueue_trial(
            {key: each.nearest(float(str(preset[key]))) for key, each in space.items()}
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
    optuna = optional("optuna", "tuning needs optuna: pip install 'homogcl[tune]'")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
