"""What the advice of `inspect` is worth: verdicts and recommendations over graphs and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, mode
from typing import Final

from homogcl.advice.inspect import LEAST_HOMOPHILY
from homogcl.advice.neighborhoods import COMPARED, LEAST_LIKENESS, METHOD, SIMPLEST, ProbeTrial
from homogcl.data.shares import Shares
from homogcl.pages.table import Table
from homogcl.runs.record import Record, read_records
from homogcl.runs.request import Request
from reproduction.advice_training import ADJUSTED, LIKENESS, VALIDATION_NODES, AdviceTraining
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.plan import QUICK_DATA

TITLE = "Advice before a training: verdicts and recommendations"
NAME = "advice"
NAMED: Final = ("cora", "citeseer", "pubmed", "photo", "computers")
HOMOPHILY = (0.1, 0.3, 0.5, 0.7, 0.95)
TOPIC_SHARES = (0.2, 0.6)  # weak features, and strong ones
SIZES = (1000, 2500)
WRONG = (0.5, 1.0)  # shares of the edges, on top of the highest homophily
SEEDS, TRAINED_SEEDS = 5, 2
TRAINED = ("grace", "ccassg", "bgrl")
_TRAINED_SIZE = 1000  # above it a training by steps takes minutes
_POINT = 0.01
_WORDS: Final = {True: "alike", False: "doubtful"}
_VALIDATION, _TEST = "val_accuracy", "test_accuracy"
# 0/1 features: with rows scaled by their sums, training takes far longer to converge.
_FEATURES: Final[Mapping[str, object]] = {"features": "raw"}
_NARROW: Final[Mapping[str, object]] = {"hidden_dim": 128, "out_dim": 128}
_FOLDER: Final = f"study/{NAME}"
COLUMNS = (
    "Graph",
    "Alike, %",
    "Verdict",
    "By labels",
    "Same verdict",
    "Recommended",
    "Its accuracy",
    "Best",
    "Its accuracy ",
    "Within a point",
)


@dataclass(frozen=True)
class Advice:
    """What `inspect` says of a graph for each seed, and what came of it.

    Attributes:
        likeness: How often held-out edges are the more alike ones, by seed.
        choices: What is recommended where labels are known, by seed.
        enough: Whether `propagation` is called enough then, by seed.
        accuracies: Test accuracy of each method: the default's mean, and of others that plus the
            mean difference over the seeds that both have.
        homophily: How often neighbors share a class, adjusted for chance, by seed.
    """

    likeness: Sequence[float]
    choices: Sequence[str]
    enough: Sequence[bool]
    accuracies: Mapping[str, float]
    homophily: Sequence[float]

    @property
    def verdicts(self) -> list[bool]:
        """Whether neighbors are taken to belong together, by seed."""
        return [share >= LEAST_LIKENESS for share in self.likeness]

    @property
    def same_verdict(self) -> int:
        """For how many seeds the verdict is that of most seeds."""
        return sum(each == mode(self.verdicts) for each in self.verdicts)

    @property
    def truths(self) -> list[bool]:
        """Whether neighbors share a class more often than chance by labels, by seed."""
        return [each >= LEAST_HOMOPHILY for each in self.homophily]

    @property
    def best(self) -> str:
        """The method with the highest mean test accuracy."""
        return max(self.accuracies, key=self.accuracies.__getitem__)

    def is_near_best(self, method: str) -> bool:
        """Return whether a method is at most a point below the best one."""
        return self.accuracies[method] >= self.accuracies[self.best] - _POINT


def advice_of(records: Iterable[Record]) -> Advice | None:
    """Return the advice on one graph from its records; None without what it rests on."""
    runs: dict[str, dict[int, dict[str, float]]] = {}  # metrics by method and seed
    for record in records:
        runs.setdefault(record.method, {}).setdefault(record.seed, {}).update(record.metrics)
    default = [each for each in runs.get(METHOD, {}).values() if LIKENESS in each]
    tests = {
        method: {seed: each[_TEST] for seed, each in by_seed.items() if _TEST in each}
        for method, by_seed in runs.items()
    }
    trials = []
    for seed, of_default in runs.get(METHOD, {}).items():
        scored = {name: runs.get(name, {}).get(seed, {}).get(_VALIDATION) for name in COMPARED}
        values = {name: value for name, value in scored.items() if value is not None}
        if len(values) == len(COMPARED) and VALIDATION_NODES in of_default:
            trials.append(ProbeTrial(int(of_default[VALIDATION_NODES]), values))
    if not default or not trials:
        return None
    choices = [trial.choice for trial in trials]
    enough = [trial.simplest_is_enough for trial in trials]
    likeness, homophily = ([each[key] for each in default] for key in (LIKENESS, ADJUSTED))
    return Advice(likeness, choices, enough, _accuracies(tests), homophily)


def _accuracies(tests: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    """Return the default's mean, and each other's by its mean difference over common seeds."""
    default = tests[METHOD]
    differences = {
        method: [value - default[seed] for seed, value in by_seed.items() if seed in default]
        for method, by_seed in tests.items()
    }
    mean = fmean(default.values())
    return {method: mean + fmean(each) for method, each in differences.items() if each}


def advice_table(graphs: Mapping[str, Advice]) -> Table:
    """Return a row for each graph."""
    rows: list[tuple[str, ...]] = []
    for name, advice in graphs.items():
        choice = mode(advice.choices)
        near = sum(advice.is_near_best(each) for each in advice.choices)
        rows.append(
            (
                name,
                f"{100 * min(advice.likeness):.0f} to {100 * max(advice.likeness):.0f}",
                _WORDS[mode(advice.verdicts)],
                _WORDS[mode(advice.truths)],
                f"{advice.same_verdict} of {len(advice.verdicts)}",
                choice,
                f"{100 * advice.accuracies[choice]:.1f}",
                advice.best,
                f"{100 * advice.accuracies[advice.best]:.1f}",
                f"{near} of {len(advice.choices)}",
            )
        )
    return Table(COLUMNS, tuple(rows), decimals=2)


def rates_table(graphs: Mapping[str, Advice]) -> Table:
    """Return the share of verdicts and of recommendations that hold, over all graphs and seeds."""
    every = list(graphs.values())
    verdicts = sum(len(each.verdicts) for each in every)
    same = sum(each.same_verdict for each in every)
    pairs = [pair for each in every for pair in zip(each.verdicts, each.truths, strict=True)]
    doubts = [truth for verdict, truth in pairs if not verdict]
    praise = [truth for verdict, truth in pairs if verdict]
    choices = [each.is_near_best(choice) for each in every for choice in each.choices]
    usual = [each.is_near_best(mode(each.choices)) for each in every]
    enough = [each.is_near_best(SIMPLEST) for each in every for said in each.enough if said]
    alone = [each.is_near_best(METHOD) for each in every]
    rows = (
        ("same verdict without labels", f"{same} of {verdicts} seeds", _percent(same, verdicts)),
        (
            "“doubtful” without labels, and so by labels",
            f"{doubts.count(False)} of {len(doubts)} seeds",
            _percent(doubts.count(False), len(doubts)),
        ),
        (
            "“alike” without labels, and of one class by labels",
            f"{praise.count(True)} of {len(praise)} seeds",
            _percent(praise.count(True), len(praise)),
        ),
        (
            "recommended with labels, within a point of the best",
            f"{sum(choices)} of {len(choices)} seeds",
            _percent(sum(choices), len(choices)),
        ),
        (
            "what most seeds recommend, within a point of the best",
            f"{sum(usual)} of {len(usual)} graphs",
            _percent(sum(usual), len(usual)),
        ),
        (
            f"`{SIMPLEST}` called enough, within a point of the best",
            f"{sum(enough)} of {len(enough)} seeds",
            _percent(sum(enough), len(enough)),
        ),
        (
            f"`{METHOD}` in any case, within a point of the best",
            f"{sum(alone)} of {len(alone)} graphs",
            _percent(sum(alone), len(alone)),
        ),
    )
    return Table(("What", "Holds for", "%"), rows, decimals=2)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "–"


def measured_advice(results: Path, *, quick: bool = False) -> dict[str, Advice]:
    """Return the advice by graph, from the folder of records `results`.

    Accuracies on the named data sets are those of their presets.
    """
    records: dict[str, list[Record]] = {}
    for training in _trainings(quick):
        if (record := training.find_record(results)) is not None:
            records.setdefault(record.data, []).append(record)
    for name in {*records}.intersection(NAMED):
        presets = results / "presets" / name
        runs = [run for each in (*COMPARED, *TRAINED) for run in read_records(presets / each)]
        records[name] += runs
    advised = {name: advice_of(of_graph) for name, of_graph in records.items()}
    return {name: each for name, each in advised.items() if each is not None}


def advice(results: Path) -> Table:
    """Return the table of graphs from the folder of records `results`."""
    return advice_table(measured_advice(results))


def rates(results: Path) -> Table:
    """Return the table of rates from the folder of records `results`."""
    return rates_table(measured_advice(results))


def on_generated(
    method: str, name: str, nodes: int, seed: int, wrong: float = 0.0, *, quick: bool = False
) -> AdviceTraining:
    """Return the training of a method on a generated graph that the seed draws."""
    narrow = _NARROW if method in TRAINED else {}
    spec = Request(method, name, seed, {**_FEATURES, **narrow}, tasks=("probe",))
    return AdviceTraining(spec, records_folder(_FOLDER, quick=quick), nodes, wrong)


def _trainings(quick: bool) -> list[Training]:
    folder = records_folder(_FOLDER, quick=quick)
    training = partial(on_generated, quick=quick)
    if quick:
        return [training(method, QUICK_DATA, 300, seed) for method in COMPARED for seed in (0, 1)]
    names = [Shares(h, topics).name() for topics in TOPIC_SHARES for h in HOMOPHILY]
    seeds, trained_seeds = range(SEEDS), range(TRAINED_SEEDS)
    untrained = [(m, n, s, i) for s in SIZES for n in names for m in COMPARED for i in seeds]
    alike = [Shares(HOMOPHILY[-1], topics).name() for topics in TOPIC_SHARES]
    spoiled = [
        (m, n, s, i, w)
        for w in WRONG
        for s in SIZES
        for n in alike
        for m in COMPARED
        for i in seeds
    ]
    trained = [(m, n, _TRAINED_SIZE, i) for m in TRAINED for i in trained_seeds for n in names]
    named = [Request(METHOD, name, seed, tasks=()) for name in NAMED for seed in seeds]
    named += [Request("raw", name, seed, tasks=("probe",)) for name in NAMED for seed in seeds]
    return [
        *(training(*each) for each in untrained),
        *(training(*each) for each in spoiled),
        *(AdviceTraining(spec, folder) for spec in named),
        *(training(*each) for each in trained),
    ]


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    graphs = measured_advice(results, quick=quick)
    return [
        *write_table(out, NAME, TITLE, advice_table(graphs)),
        *write_table(out, f"{NAME}-rates", TITLE, rates_table(graphs)),
    ]


ADVICE = Artifact(NAME, TITLE, _trainings, _write)
