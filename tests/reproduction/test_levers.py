"""What settings of a plug-in do: rows by departure from the shipped ones, gains at equal rest."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.homophily.plugins.homogcl import ADAPTIVE
from homogcl.pages.table import to_markdown
from homogcl.runs.record import Record
from reproduction.tables.levers import ADAPTIVE_KEYS, levers_table
from tests.records import make_record


def runs(method: str, *accuracies: float, epochs: int = 50, **plugin: JsonValue) -> list[Record]:
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
    assert to_markdown(levers_table(records, "grace", "homogcl", ["cora"])).splitlines() == [
        "| grace+homogcl | cora, validation | cora, test | cora, AUC of S |",
        "| --- | --- | --- | --- |",
        "| as shipped | 1.00 ± 0.00 (2) | 1.00 ± 0.00 (2) | – |",
        "| each=True, k=5 | 1.00 ± 1.41 (2) | 1.00 ± 1.41 (2) | 0.70 ± 0.00 (2) |",
    ]


def test_a_gain_is_over_the_base_of_equal_epochs() -> None:
    records = [
        *runs("grace", 0.80),
        *runs("grace", 0.70, epochs=100),
        *runs("grace+homogcl", 0.81),
        *runs("grace+homogcl", 0.73, epochs=100),
    ]
    rows = to_markdown(levers_table(records, "grace", "homogcl", ["cora", "photo"])).splitlines()
    assert rows[2:] == [
        "| as shipped | 1.00 (1) | 1.00 (1) | – | – | – | – |",
        "| epochs=100 | 3.00 (1) | 3.00 (1) | – | – | – | – |",
    ]


def test_a_gain_over_nothing_comparable_is_refused() -> None:
    records = [*runs("grace", 0.8), *runs("grace+homogcl", 0.8, epochs=7)]
    with pytest.raises(UserError, match=r"no run of the base has the settings of .* epochs=7"):
        levers_table(records, "grace", "homogcl", ["cora"])


def test_the_adaptive_variant_is_called_by_its_name_alone() -> None:
    assert set(ADAPTIVE_KEYS) == ADAPTIVE.keys()
    adaptive = runs("grace+homogcl", 0.84, variant="adaptive", one_each=True, two_sigma_sq=1.0, k=5)
    records = [*runs("grace", 0.80), *runs("grace+homogcl", 0.81), *adaptive]
    labels = [row[0] for row in levers_table(records, "grace", "homogcl", ["cora"]).rows]
    assert labels == ["as shipped", "k=5, variant=adaptive"]
