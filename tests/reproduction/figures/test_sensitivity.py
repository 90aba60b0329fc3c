"""Sweeps of two settings of the plug-in."""

from __future__ import annotations

from homogcl.presets.resolve import resolve
from reproduction.artifact import GraphTraining
from reproduction.figures.runs import SEEDS
from reproduction.figures.sensitivity import CLUSTERS, SENSITIVITY, WEIGHTS


def test_each_value_is_run_and_the_presets_own_has_the_presets_records() -> None:
    trainings = [each for each in SENSITIVITY.trainings(False) if isinstance(each, GraphTraining)]
    preset = resolve("grace+homogcl", "cora").method
    swept = {"num_clusters": CLUSTERS, "homophily_weight": WEIGHTS}
    for key, values in swept.items():
        varied = [each for each in trainings if key in each.spec.overrides]
        others = [value for value in values if value != preset[key]]
        assert len(others) == len(values) - 1
        assert [each.spec.overrides[key] for each in varied] == [
            value for value in others for _ in range(SEEDS)
        ]
        assert {each.folder for each in varied} == {"figures/sensitivity"}
    plain = [each for each in trainings if not each.spec.overrides]
    assert {each.folder for each in plain} == {"presets"}
    assert {each.spec.method for each in plain} == {"grace", "grace+homogcl"}
