from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homogcl.evaluate.significance import Difference
from homogcl.pages.table import (
    Cell,
    Gain,
    PValue,
    Table,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)
from homogcl.runs.record import Summary

TABLE = Table(
    columns=("Method", "Epochs", "Accuracy (%)", "Loss"),
    rows=(
        ("grace_a", 20, Summary(83.046, 0.5249, 10), 0.5),
        ("b|c", None, Summary(80.0, None, 1), "failed (2)"),
    ),
    decimals=2,
)


def test_markdown_shows_mean_spread_and_number() -> None:
    assert to_markdown(TABLE).splitlines() == [
        "| Method | Epochs | Accuracy (%) | Loss |",
        "| --- | --- | --- | --- |",
        "| grace_a | 20 | 83.05 ± 0.52 (10) | 0.50 |",
        "| b&#124;c | – | 80.00 (1) | failed (2) |",
    ]


def test_latex_escapes_what_it_would_misread() -> None:
    assert to_latex(TABLE).splitlines() == [
        r"\begin{tabular}{llll}",
        r"\toprule",
        r"Method & Epochs & Accuracy (\%) & Loss \\",
        r"\midrule",
        r"grace\_a & 20 & 83.05 $\pm$ 0.52 (10) & 0.50 \\",
        r"b|c & -- & 80.00 (1) & failed (2) \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    table = Table((r"\&{}~^#$",), (), decimals=0)
    escaped = r"\textbackslash{}\&\{\}\textasciitilde{}\textasciicircum{}\#\$"
    assert rf"{escaped} \\" in to_latex(table).splitlines()


def test_bold_cells_are_emphasized_but_not_in_csv() -> None:
    table = replace(TABLE, bold=frozenset({(0, 2), (1, 0)}))
    assert to_markdown(table).splitlines()[2:] == [
        "| grace_a | 20 | **83.05 ± 0.52 (10)** | 0.50 |",
        "| **b&#124;c** | – | 80.00 (1) | failed (2) |",
    ]
    assert r"grace\_a & 20 & \textbf{83.05 $\pm$ 0.52 (10)} & 0.50 \\" in to_latex(table)
    assert to_csv(table) == to_csv(TABLE)


def test_p_values_have_three_decimals_to_people_and_all_in_csv() -> None:
    table = Table(("p",), ((PValue(0.0123456),), (PValue(1e-9),), (PValue(0.001),)), decimals=1)
    assert to_markdown(table).splitlines()[2:] == ["| 0.012 |", "| < 0.001 |", "| 0.001 |"]
    assert to_csv(table).splitlines() == ["p", "0.0123456", "1e-09", "0.001"]


def test_csv_keeps_every_digit_in_columns_of_its_own() -> None:
    assert to_csv(TABLE).splitlines() == [
        "Method,Epochs,Accuracy (%),Accuracy (%) std,Accuracy (%) n,Loss",
        "grace_a,20,83.046,0.5249,10,0.5",
        "b|c,,80.0,,1,failed (2)",
    ]


def test_differences_have_their_interval_and_signs_a_legend() -> None:
    difference = Gain(Difference(-1.256, 0.5, 3, -2.5, 0.004, 0.07), "†*")
    alone = Gain(Difference(0.5, None, 1))
    table = Table(
        ("m", "d"),
        ((Summary(1.0, None, 2, "†"), difference), (None, alone)),
        decimals=2,
        notes=("Three * tests.",),
    )
    former = "by the former probe; its runs await the present one"
    holm = "remains at 5 % after Holm's correction for all tests shown"
    assert to_markdown(table).splitlines()[2:] == [
        "| 1.00 (2) † | -1.26 [-2.50, 0.00] (3) †* |",
        "| – | +0.50 (1) |",
        "",
        rf"\* {holm}",
        "",
        f"† {former}",
        "",
        r"Three \* tests.",
    ]
    assert to_latex(table).splitlines()[-3:] == [
        rf"\par{{\footnotesize * {holm}}}".replace("%", r"\%"),
        rf"\par{{\footnotesize $\dagger$ {former}}}",
        r"\par{\footnotesize Three * tests.}",
    ]
    assert to_csv(table).splitlines() == [
        "m,m std,m n,m mark,d,d std,d n,d low,d high,d mark",
        '1.0,,2,former probe,-1.256,0.5,3,-2.5,0.004,"former probe, after Holm"',
        ",,,,0.5,,1,,,",
    ]
    first, second = json.loads(to_json(table))["rows"]
    assert first["m"] == {"mean": 1.0, "std": None, "n": 2, "mark": "former probe"}
    assert second == {"m": None, "d": {"mean": 0.5, "std": None, "n": 1, "low": None, "high": None}}


def test_an_empty_table_has_its_titles_alone() -> None:
    table = Table(("a", "b"), (), decimals=1)
    assert to_csv(table) == "a,b\n"
    assert json.loads(to_json(table)) == {"rows": [], "notes": []}


marks = st.sampled_from(["", "†", "†‡", "*"])
numbers = (st.floats(-1, 1), st.floats(0, 1), st.integers(2, 9), *[st.floats(-1, 1)] * 3)
cells = st.one_of(
    st.none(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"])),
    st.builds(Summary, st.floats(0, 1), st.none() | st.floats(0, 1), st.integers(1, 9), marks),
    st.builds(Gain, st.builds(Difference, *numbers), marks),
)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.tuples(*[cells] * n), max_size=4)))
def test_every_rendering_is_rectangular(rows: list[tuple[Cell]]) -> None:
    width = len(rows[0]) if rows else 2
    table = Table(tuple("abcd"[:width]), tuple(rows), decimals=1)
    markdown = to_markdown(table).split("\n")
    lines = markdown[: len(rows) + 2]
    assert len(markdown) - len(lines) == 2 * len(table.legend)
    assert {line.count("|") for line in lines} == {width + 1}
    parsed = list(csv.reader(io.StringIO(to_csv(table), newline="")))
    assert len({len(line) for line in parsed}) == 1
    assert len(parsed) == len(rows) + 1


def test_rows_that_do_not_fill_the_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="one cell for each column"):
        Table(("a", "b"), (("only",),), decimals=1)
