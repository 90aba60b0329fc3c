"""Which trainings a table needs, and their quick form."""

from __future__ import annotations

from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphTraining
from reproduction.paper.tables import PAPER_TABLES
from reproduction.plan import QUICK_EPOCHS, Plan


def graph_trainings(name: str, *, quick: bool = False) -> list[GraphTraining]:
    trainings = PAPER_TABLES[name].trainings(quick)
    result = [training for training in trainings if isinstance(training, GraphTraining)]
    assert len(result) == len(trainings)
    return result


def test_quick_trainings_are_small_and_of_the_generated_graph() -> None:
    for training in graph_trainings("classification", quick=True):
        usual, spec = resolve(training.spec.method, "demo"), training.spec
        assert (spec.data, spec.seed) == ("demo", 0)
        assert spec.settings().train.epochs == min(QUICK_EPOCHS, usual.train.epochs)


def test_a_method_is_left_out_by_its_name() -> None:
    trainings = Plan("arxiv", left_out=("progcl", "grace")).trainings(quick=False)
    assert not any(
        "progcl" in training.label or "grace" in training.label for training in trainings
    )
