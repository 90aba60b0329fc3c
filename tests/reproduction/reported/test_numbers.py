"""The printed numbers are whole, unique and in the unit of print."""

from __future__ import annotations

import re

import pytest

from homogcl.core.errors import UserError
from reproduction.reported import numbers

METHODS = set(
    [
        "raw",
        "mlp",
        "random",
        "deepwalk",
        "node2vec",
        "gcn",
        "gat",
        "sage",
        "gae",
        "vgae",
        "dgi",
        "hdi",
        "gmi",
        "infogcl",
        "mvgrl",
        "gbt",
        "bgrl",
        "afgrl",
        "ccassg",
        "costa",
        "grace",
        "gca",
        "progcl",
        "ariel",
        "gcool",
        "grace+homogcl",
        "grace+hard",
        "bgrl+homogcl",
    ]
)
DATA = {"cora", "citeseer", "pubmed", "photo", "computers", "arxiv"}
FIVE = ("cora", "citeseer", "pubmed", "photo", "computers")
# The paper prints how far these methods are from GRACE, so each number is checked by another.
PRINTED_GAINS = {
    "gca": (-0.1, -0.2, 0.5, 0.38, 1.55),
    "progcl": (-0.3, -0.8, -1.0, 0.24, 1.18),
    "ariel": (1.5, 0.5, -6.0, -0.35, 0.82),
    "grace+homogcl": (3.0, 1.7, 0.9, 0.77, 2.21),
}


@pytest.mark.parametrize(
    ("table", "count"),
    [
        ("classification", 20 * 5),
        ("clustering", 10 * 2 * 2),
        ("bgrl", 2 * 3),
        ("arxiv", 14 * 2),
        ("ablation", 4),
        ("statistics", 6 * 4),
    ],
)
def test_tables_are_whole_and_their_keys_are_unique(table: str, count: int) -> None:
    rows = numbers.read(table)
    keys = {(row.method, row.variant, row.data, row.metric) for row in rows}
    assert len(rows) == len(keys) == count
    assert {row.data for row in rows} <= DATA
    assert {row.method for row in rows} <= (METHODS if table != "statistics" else {""})


def test_every_table_can_be_read_and_others_are_refused() -> None:
    assert all(numbers.read(table) for table in numbers.table_names())
    with pytest.raises(UserError, match="did you mean: clustering"):
        numbers.read("clusterin")


@pytest.mark.parametrize("table", ["classification", "clustering", "bgrl", "arxiv", "ablation"])
def test_values_are_in_the_unit_of_print_and_gaps_have_a_reason(table: str) -> None:
    for row in numbers.read(table):
        assert (row.value is None) == (row.printed == "")
        if row.value is None:
            assert row.std is None
            assert row.note
        elif row.metric.endswith("accuracy"):
            assert 40 < row.value < 100
            assert row.std is None or 0 <= row.std < 5
            assert re.fullmatch(r"\d\d\.\d{1,2}( ± \d\.\d{1,2})?", row.printed)
        else:
            assert row.metric in {"nmi", "ari"}
            assert 0 < row.value < 1
            assert row.std in {x / 100 for x in range(10)}


@pytest.mark.parametrize("method", PRINTED_GAINS)
def test_gains_over_grace_are_the_printed_ones(method: str) -> None:
    rows = numbers.read("classification")

    def accuracy(name: str, data: str) -> float:
        row = numbers.find(rows, name, data, "test_accuracy")
        assert row is not None
        assert row.value is not None
        return row.value

    gains = [accuracy(method, data) - accuracy("grace", data) for data in FIVE]
    assert gains == pytest.approx(PRINTED_GAINS[method], abs=1e-6)


def test_numbers_that_two_tables_print_agree() -> None:
    classification = numbers.read("classification")
    for row in (*numbers.read("bgrl"), *numbers.read("ablation")):
        twin = numbers.find(classification, row.method, row.data, row.metric)
        if twin is not None and not row.variant:
            assert row.value == twin.value


def test_find_tells_variants_apart() -> None:
    rows = numbers.read("ablation")
    key = ("grace+hard", "cora", "test_accuracy")
    full = numbers.find(rows, *key)
    without = numbers.find(rows, *key, variant="without homophily loss")
    assert full is not None
    assert without is not None
    assert (full.printed, without.printed) == ("84.2 ± 0.4", "83.9 ± 0.3")
    assert numbers.find(rows, "grace+hard", "pubmed", "test_accuracy") is None
