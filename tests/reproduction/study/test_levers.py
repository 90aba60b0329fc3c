"""What settings of a plug-in do: their trainings, their rows, gains at equal rest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.pages.table import cell_text, to_markdown
from homogcl.presets.resolve import resolve
from homogcl.runs.record import Record
from reproduction.artifact import GraphTraining
from reproduction.levers import ADAPTIVE
from reproduction.study.levers import LEVERS, SEEDS, lever_trainings, levers_table
from tests.records import make_record


def runs(
    method: str,
    *accuracies: float,
    epochs: int = 50,
    plugin: Mapping[str, JsonValue] | None = None,
    **more: JsonValue,
) -> list[Record]:
    plugin = {**(plugin or {}), **more}
    settings: dict[str, JsonValue] = {"train": {"epochs": epochs}, "method": dict(plugin)}
    resolved: dict[str, JsonValue] = {
        "train": {"epochs": epochs},
        "method": {"tau": 0.5, **({"k": 10, **plugin} if "+" in method else {})},
    }
    return [
        make_record(
            settings,
            method=method,
            seed=seed,
            resolved=resolved,
            metrics={
                "val_accuracy": accuracy - 0.01,
                "test_accuracy": accuracy,
                **({"saliency_auc": 0.7} if plugin else {}),
            },
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def test_rows_name_what_departs_from_the_first_settings() -> None:
    records = [
        *runs("grace", 0.80, 0.82),
        *runs("grace+homogcl", 0.81, 0.83),
        *runs("grace+homogcl", 0.82, 0.82, k=5.0, each=True),
    ]
    assert to_markdown(levers_table(records, "grace", ["cora"])).splitlines() == [
        "| grace+homogcl | Epochs | cora, alone | cora, validation | cora, test | cora, AUC of S |",
        "| --- | --- | --- | --- | --- | --- |",
        "| as shipped | 50 | 81.00 ± 1.41 (2) | +1.00 (2) | +1.00 (2) | – |",
        "| each=True, k=5 | 50 | 81.00 ± 1.41 (2) | +1.00 [-11.71, 13.71] (2) "
        "| +1.00 [-11.71, 13.71] (2) | 0.70 ± 0.00 (2) |",
    ]


def test_the_base_is_of_common_seeds_and_held_to_untrained_methods() -> None:
    records = [
        *runs("propagation", 0.82, 0.80),
        *runs("grace", 0.80, 0.82, 0.99),
        *runs("grace+homogcl", 0.81, 0.83),
    ]
    lines = to_markdown(levers_table(records, "grace", ["cora"])).splitlines()
    assert lines[2].startswith("| as shipped | 50 | 81.00 ± 1.41 (2) ‡ | +1.00 (2)")
    assert lines[-1] == "Without any training, cora: propagation 81.00 ± 1.41 (2)."


def test_a_gain_is_over_the_base_of_equal_epochs() -> None:
    records = [
        *runs("grace", 0.80),
        *runs("grace", 0.70, epochs=100),
        *runs("grace+homogcl", 0.81),
        *runs("grace+homogcl", 0.73, epochs=100),
    ]
    rows = to_markdown(levers_table(records, "grace", ["cora", "photo"])).splitlines()
    assert rows[2:] == [
        "| as shipped | 50 | 80.00 (1) | +1.00 (1) | +1.00 (1) | – | – | – | – | – |",
        "| epochs=100 | 100 | 70.00 (1) | +3.00 (1) | +3.00 (1) | – | – | – | – | – |",
    ]


def test_how_a_step_is_computed_makes_no_other_base() -> None:
    [base] = runs("grace", 0.80)
    train: dict[str, JsonValue] = {"epochs": 50, "share_products": False}
    apart = base.model_copy(update={"resolved": {**base.resolved, "train": train}})
    train = {"epochs": 50, "share_products": None}
    [plugged] = runs("grace+homogcl", 0.81)
    plugged = plugged.model_copy(update={"resolved": {**plugged.resolved, "train": train}})
    [row] = levers_table([apart, plugged], "grace", ["cora"]).rows
    assert cell_text(row[2], 2) == "80.00 (1)"


def test_a_gain_over_nothing_comparable_is_refused() -> None:
    records = [*runs("grace", 0.8), *runs("grace+homogcl", 0.8, epochs=7)]
    with pytest.raises(UserError, match=r"no run of the base has the settings of .* epochs=7"):
        levers_table(records, "grace", ["cora"])


def test_the_adaptive_plugin_is_called_by_its_name_alone() -> None:
    adaptive = runs("grace+adaptive", 0.84, k=5)
    by_levers = runs("grace+levers", 0.85, plugin={**ADAPTIVE, "choose_clusters": True})
    other = runs("grace+levers", 0.86, clustered="directions")
    records = [*runs("grace", 0.80), *runs("grace+homogcl", 0.81), *adaptive, *by_levers, *other]
    labels = [row[0] for row in levers_table(records, "grace", ["cora"]).rows]
    assert labels == [
        "as shipped",
        "adaptive, choose_clusters=True",
        "adaptive, k=5",
        "clustered=directions",
    ]


def trainings(base: str) -> list[GraphTraining]:
    return [
        training
        for training in lever_trainings(base, quick=False)
        if isinstance(training, GraphTraining)
    ]


@pytest.mark.parametrize("base", ["grace", "bgrl"])
def test_every_run_is_of_other_settings_and_moves_the_plug_in_alone(base: str) -> None:
    result = trainings(base)
    places = [training.path(Path("results")) for training in result]
    assert len(set(places)) == len(places)
    for training in result:
        alone, settings = resolve(base, training.spec.data), training.spec.settings()
        assert settings.train == alone.train
        assert settings.data == alone.data
        assert alone.method.items() <= settings.method.items()
        shipped = resolve(training.spec.method, training.spec.data)
        is_adaptive = training.spec.method == f"{base}+adaptive"
        assert (settings == shipped and not is_adaptive) == (training.folder == "presets")


def test_levers_that_change_nothing_are_not_run_twice() -> None:
    # On each graph: the base, the plug-in as shipped, the adaptive plug-in, and all levers but one,
    # since the fixed width is shipped on GRACE and the clusters' own on BGRL; on CiteSeer 30
    # clusters are shipped as well.
    expected = sum(n * (3 + len(LEVERS) - 1) for n in SEEDS.values()) - SEEDS["citeseer"]
    assert len(trainings("grace")) == len(trainings("bgrl")) == expected
