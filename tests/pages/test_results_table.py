"""Tables of anybody's records, with numbers computed by hand."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import JsonValue
from scipy.stats import ttest_rel

from homogcl.core.errors import UserError
from homogcl.pages.results_table import group_by_row, results_table
from homogcl.pages.table import Gain, PValue, to_csv, to_json, to_latex, to_markdown
from homogcl.runs.record import Record
from tests.records import make_record

GRACE, PLUGGED = (0.80, 0.82, 0.81), (0.83, 0.82, 0.84)


def runs(
    method: str,
    data: str,
    accuracies: tuple[float, ...],
    settings: dict[str, JsonValue] | None = None,
    **changes: object,
) -> list[Record]:
    return [
        make_record(
            settings or {"train": {"epochs": 20}},
            method=method,
            data=data,
            seed=seed,
            metrics={"test_accuracy": accuracy, "nmi": accuracy / 2, "edge_homophily_00500": 1.0},
            **changes,
        )
        for seed, accuracy in enumerate(accuracies)
    ]


def both() -> list[Record]:
    return [
        *runs("grace+homogcl", "cora", PLUGGED),
        *runs("grace", "photo", (0.92,)),
        *runs("grace", "cora", GRACE),
    ]


def test_methods_stand_by_data_sets_and_the_best_is_bold() -> None:
    assert to_markdown(results_table(both())).splitlines() == [
        "| Method (test_accuracy, %) | cora | cora, epochs | photo | photo, epochs |",
        "| --- | --- | --- | --- | --- |",
        "| grace | 81.00 ± 1.00 (3) | 20 | 92.00 (1) | 20 |",
        "| grace+homogcl | **83.00 ± 1.00 (3)** | 20 | – | – |",
    ]


def test_latex_and_csv_have_the_same_numbers() -> None:
    table = results_table(both())
    line = r"grace+homogcl & \textbf{83.00 $\pm$ 1.00 (3)} & 20 & -- & -- \\"
    assert line in to_latex(table).splitlines()
    header, grace, _ = to_csv(table).splitlines()
    assert header == (
        '"Method (test_accuracy, %)",cora,cora std,cora n,"cora, epochs",'
        'photo,photo std,photo n,"photo, epochs"'
    )
    values = [float(value) for value in grace.split(",")[1:] if value]
    assert values == pytest.approx([81, 1, 3, 20, 92, 1, 20])


def test_differences_to_a_base_are_paired_and_tested() -> None:
    table = results_table(both(), base="grace")
    assert table.columns[1:5] == ("cora", "cora, epochs", "cora, minus grace", "cora, p")
    alone, plugged = table.rows
    assert alone[3:5] == (None, None)
    # 3, 0 and 3 points: mean 2, standard deviation sqrt(3), standard error 1.
    assert isinstance(plugged[3], Gain)
    assert plugged[3].difference[:3] == pytest.approx((2.0, math.sqrt(3), 3))
    assert isinstance(plugged[4], PValue)
    assert plugged[4] == pytest.approx(ttest_rel(PLUGGED, GRACE).pvalue)
    assert plugged[5:] == (None, None, None, None)
    lines = to_markdown(table).splitlines()
    # The 97.5 % quantile of Student's t with two degrees of freedom is 4.303.
    assert lines[3] == (
        "| grace+homogcl | **83.00 ± 1.00 (3)** | 20 | +2.00 [-2.30, 6.30] (3) | 0.184 "
        "| – | – | – | – |"
    )
    assert lines[4:] == ["", "1 paired t-test; at 5 % after Holm's correction: none."]


def test_every_format_says_what_remains_and_what_is_no_better_than_untrained() -> None:
    records = [
        *runs("grace", "cora", (0.70, 0.71, 0.72)),
        *runs("bgrl", "cora", (0.90, 0.911, 0.92)),
        *runs("random", "cora", (0.705, 0.72, 0.73)),
    ]
    table = results_table(records, base="grace")
    markdown, latex, sheet = to_markdown(table), to_latex(table), to_csv(table).splitlines()
    assert "| 71.00 ± 1.00 (3) ‡ | 20 | – | – |" in markdown
    assert r"71.00 $\pm$ 1.00 (3) $\ddagger$ & 20 &" in latex
    assert "‡ no better than raw, random or propagation, which learn nothing" in markdown
    assert r"\par{\footnotesize $\ddagger$ no better than" in latex
    note = "2 paired t-tests; at 5 % after Holm's correction: bgrl on cora, random on cora."
    assert markdown.endswith(note)
    assert note.replace("%", r"\%") in latex
    assert "(3) * |" in markdown.splitlines()[2]
    assert "cora n,cora mark" in sheet[0]
    assert "after Holm" in sheet[1]
    assert "no better than untrained" in sheet[2]
    value = json.loads(to_json(table))
    assert value["notes"][-1] == note
    bgrl, grace, _ = value["rows"]
    assert grace["cora"]["mark"] == "no better than untrained"
    assert bgrl["cora, minus grace"]["mark"] == "after Holm"


def test_the_former_probe_is_marked_and_not_the_best_beside_the_present_one() -> None:
    former = [
        record.model_copy(update={"metrics": {"adam_test_accuracy": 0.95}})
        for record in runs("a", "cora", (0.0,))
    ]
    table = results_table([*former, *runs("b", "cora", (0.8,)), *runs("c", "cora", (0.7,))])
    assert to_markdown(table).splitlines()[2:4] == [
        "| a | 95.00 (1) † | 20 |",
        "| b | **80.00 (1)** | 20 |",
    ]
    assert to_markdown(results_table(former)).splitlines()[2] == "| a | 95.00 (1) † | 20 |"


def test_a_tiny_p_value_is_a_bound_to_people_and_a_number_in_csv() -> None:
    before = tuple(0.7 + seed / 1000 for seed in range(6))
    after = tuple(0.8 + seed / 900 for seed in range(6))
    records = [*runs("a", "cora", before), *runs("b", "cora", after)]
    table = results_table(records, base="a")
    assert "| < 0.001 |" in to_markdown(table)
    assert float(to_csv(table).splitlines()[-1].split(",")[-1]) == table.rows[1][4]


def test_equal_means_are_both_bold_and_a_single_one_is_not() -> None:
    records = [*runs("a", "cora", (0.8,)), *runs("b", "cora", (0.8,)), *runs("c", "cora", (0.7,))]
    assert results_table(records).bold == {(0, 1), (1, 1)}
    assert results_table(runs("a", "cora", (0.8,))).bold == frozenset()
    # The base's columns shift those of the second data set.
    records += [*runs("a", "photo", (0.8,)), *runs("b", "photo", (0.9,))]
    assert results_table(records, base="a").bold == {(0, 1), (1, 1), (1, 5)}


def test_other_metrics_are_fractions() -> None:
    assert to_markdown(results_table(runs("a", "cora", (0.8, 0.82)), "nmi")).splitlines() == [
        "| Method (nmi) | cora | cora, epochs |",
        "| --- | --- | --- |",
        "| a | 0.405 ± 0.007 (2) | 20 |",
    ]


def test_other_settings_are_other_rows_that_name_them() -> None:
    narrow: dict[str, JsonValue] = {"method": {"width": 8}, "train": {"epochs": 20}}
    wide: dict[str, JsonValue] = {"method": {"width": 16}, "train": {"epochs": 20}}
    records = [
        *runs("grace", "cora", (0.80,), narrow),
        *runs("grace", "cora", (0.82,), wide),
        *runs("grace", "photo", (0.92,), wide),
        *runs("bgrl", "cora", (0.79,), narrow),
        *runs("bgrl", "photo", (0.91,), wide),
    ]
    rows = group_by_row(records)
    # Settings that differ between data sets alone, as those of presets do, make no rows.
    assert list(rows) == ["bgrl", "grace (width=16)", "grace (width=8)"]
    assert set(rows["grace (width=16)"]) == {"cora", "photo"}
    table = results_table(records, base="grace (width=8)")
    gain = table.rows[1][3]
    assert isinstance(gain, Gain)
    assert gain.difference == pytest.approx((2.0, None, 1, None, None, None))


def test_defaults_are_named_where_the_record_has_them() -> None:
    plain = runs("grace", "cora", (0.8,), {"train": {}}, resolved={"train": {"epochs": 50}})
    long = runs("grace", "cora", (0.8,), {"train": {"epochs": 80}})
    assert set(group_by_row([*plain, *long])) == {"grace (epochs=50)", "grace (epochs=80)"}
    # A setting that was added after the first record was written tells nothing apart.
    later = [
        record.model_copy(
            update={"seed": 1, "resolved": {"train": {"epochs": 50, "schedule": "constant"}}}
        )
        for record in plain
    ]
    assert list(group_by_row([*plain, *later])) == ["grace"]
    unresolved = runs("grace", "cora", (0.8,), {"train": {}}, resolved={})
    assert set(group_by_row([*unresolved, *long])) == {
        "grace (epochs=default)",
        "grace (epochs=80)",
    }


def test_a_name_that_two_parts_have_is_written_out() -> None:
    one: dict[str, JsonValue] = {"train": {"rate": 0.1}, "probe": {"rate": 1}}
    two: dict[str, JsonValue] = {"train": {"rate": 0.2}, "probe": {"rate": 2}}
    records = [*runs("a", "cora", (0.8,), one), *runs("a", "cora", (0.8,), two)]
    assert set(group_by_row(records)) == {
        "a (probe.rate=1, train.rate=0.1)",
        "a (probe.rate=2, train.rate=0.2)",
    }


def test_failures_are_counted() -> None:
    failed = runs("a", "cora", (0.8, 0.8), status="failed", reason="no memory")
    table = results_table([*failed, *runs("b", "cora", (0.8,))])
    assert table.rows[0] == ("a", "failed (2)", 20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"base": "grce"}, r"unknown base 'grce' \(did you mean: grace"),
        ({"metric": "test_acuracy"}, r"unknown metric .* \(did you mean: test_accuracy"),
        ({"metric": "zzz"}, r"unknown metric 'zzz' \(choose from: nmi, test_accuracy\)"),
    ],
)
def test_unknown_names_are_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        results_table(both(), **arguments)


def test_two_graphs_of_one_name_are_refused() -> None:
    other = runs("bgrl", "cora", (0.8,), data_sha256="d" * 64)
    with pytest.raises(UserError, match="two graphs are called cora"):
        results_table([*both(), *other])
