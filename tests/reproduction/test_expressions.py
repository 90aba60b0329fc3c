"""Expressions of sentences: each is compared with arithmetic on the values of its records."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_rel

from homogcl.core.errors import UserError
from homogcl.runs.record import write_record
from reproduction.expressions import Value, alternatives, evaluate, records_of
from tests.records import make_record

ALONE, PLUGGED = [0.80, 0.82, 0.81], [0.83, 0.82, 0.85]
GAINS = [100 * (b - a) for a, b in zip(ALONE, PLUGGED, strict=True)]


def keep(
    root: Path,
    method: str,
    *accuracies: float,
    metric: str = "test_accuracy",
    first: int = 0,
    **settings: float,
) -> None:
    """Write one record per seed, from `first` on."""
    for seed, value in enumerate(accuracies, first):
        record = make_record(
            {"method": {**settings}},
            method=method,
            seed=seed,
            metrics={metric: value, "nmi": value / 2},
            milestones={"10": {metric: value / 4}},
            seconds=10.0 * (seed + 1),
        )
        write_record(root / "results" / "presets", record)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with two methods on three seeds each, one with a fourth, and a measure."""
    keep(tmp_path, "grace", *ALONE, 0.5)
    keep(tmp_path, "grace+homogcl", *PLUGGED)
    measures = {
        "peer": {
            "machine": {"cpu_count": 2, "threads": 0, "platform": "Linux x86_64"},
            "rows": [{"measure": "photo: dense, time", "value": 4.4074, "held_to": ""}],
        },
        "memory": {
            "machine": {"cpu_count": 2, "threads": 1, "platform": "Linux"},
            "precision": "float32",
            "rows": [],
        },
        "loss": {
            "machine": {"cpu_count": 2, "threads": 1, "platform": "Linux", "processor": "Fast"},
            "precision": "float32",
            "commit": "0123456789abcdef",
            "rows": [],
        },
    }
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "results.json").write_text(json.dumps(measures))
    return tmp_path


def text(expression: str, root: Path) -> str:
    value = evaluate(expression, root)
    assert value.mark == ""
    return value.text


GAIN = "presets/cora/grace+homogcl over presets/cora/grace accuracy"


def test_statistics_of_a_metric_over_seeds(root: Path) -> None:
    runs = "presets/cora/grace+homogcl"
    assert text(f"mean {runs} accuracy", root) == f"{100 * statistics.fmean(PLUGGED):.1f}"
    assert text(f"std {runs} accuracy .2", root) == f"{100 * statistics.stdev(PLUGGED):.2f}"
    assert text(f"n {runs} accuracy", root) == "3"
    assert text(f"mean {runs} nmi", root) == f"{statistics.fmean(PLUGGED) / 2:.3f}"
    assert text(f"mean {runs} seconds", root) == "20"
    assert text(f"mean {runs} GB", root) == "1.0"
    assert text(f"mean {runs}@10 accuracy", root) == f"{25 * statistics.fmean(PLUGGED):.1f}"


def test_differences_are_on_the_seeds_of_both(root: Path) -> None:
    assert text(f"mean {GAIN} +.2", root) == f"{statistics.fmean(GAINS):+.2f}"
    assert text(f"std {GAIN} .3", root) == f"{statistics.stdev(GAINS):.3f}"
    assert text(f"n {GAIN}", root) == "3"
    p = ttest_rel(PLUGGED, ALONE).pvalue
    assert text(f"p {GAIN}", root) == f"p = {p:.3f}"
    half = t.ppf(0.975, 2) * statistics.stdev(GAINS) / 3**0.5
    ends = [statistics.fmean(GAINS) - half, statistics.fmean(GAINS) + half]
    assert text(f"interval {GAIN} .2", root) == f"{ends[0]:.2f} to {ends[1]:.2f}"
    assert evaluate(f"interval {GAIN}", root).number == pytest.approx(ends[0])


def test_small_p_values_say_so(root: Path) -> None:
    keep(root, "gca", *(0.80 + 0.001 * i for i in range(8)))
    keep(root, "gca+homogcl", *(0.85 + 0.00101 * i for i in range(8)))
    gain = "presets/cora/gca+homogcl over presets/cora/gca accuracy"
    assert text(f"p {gain}", root) == "p < 0.001"


def test_older_records_count_where_no_seed_has_the_probe_and_are_marked(root: Path) -> None:
    keep(root, "bgrl", 0.7, 0.72, metric="adam_test_accuracy")
    assert evaluate("mean presets/cora/bgrl accuracy", root) == Value(71.0, "71.0", "†")
    assert evaluate("n presets/cora/bgrl accuracy", root).mark == ""  # it stands by a mean
    keep(root, "bgrl", 0.9, first=2)
    assert evaluate("mean presets/cora/bgrl accuracy", root) == Value(90.0, "90.0", "")
    # No seed of both has the probe: a difference between two probes would be of the probes.
    with pytest.raises(UserError, match="no seed, split and probe in common"):
        evaluate("mean presets/cora/grace+homogcl over presets/cora/bgrl[seed=0] accuracy", root)


def test_settings_tell_runs_apart(root: Path) -> None:
    keep(root, "vgae", 0.7, two=0.5)
    keep(root, "vgae", 0.8, two=1.0)
    with pytest.raises(UserError, match="records of 2 settings"):
        evaluate("mean presets/cora/vgae accuracy", root)
    assert text("mean presets/cora/vgae[two=0.5] accuracy", root) == "70.0"
    assert text("mean presets/cora/vgae[two=1,seed=0] accuracy", root) == "80.0"
    assert [r.seed for r in records_of("presets/cora/grace[seed=2]", root)] == [2]
    assert [r.seed for r in records_of("presets/cora/grace[seeds=2]", root)] == [0, 1]


def test_extremes_are_over_what_braces_name(root: Path) -> None:
    runs = "presets/cora/{grace,grace+homogcl} accuracy"
    assert text(f"max mean {runs}", root) == f"{100 * statistics.fmean(PLUGGED):.1f}"
    assert text(f"min mean {runs}", root) == f"{100 * statistics.fmean([*ALONE, 0.5]):.1f}"
    keep(root, "bgrl", 0.1, metric="adam_test_accuracy")
    assert evaluate("max mean presets/cora/{grace,bgrl} accuracy", root).mark == "†"


names = st.text("abc", min_size=1, max_size=3)


@given(st.lists(names, min_size=1, max_size=4), st.lists(names, min_size=1, max_size=4))
def test_braces_are_a_product_in_which_equal_ones_agree(a: list[str], b: list[str]) -> None:
    first, second = "{" + ",".join(a) + "}", "{-" + ",".join(b) + "}"
    expected = [f"{x}/{y}/{x}" for x in a for y in ("-" + ",".join(b)).split(",")]
    assert alternatives(f"{first}/{second}/{first}") == expected


def test_printed_numbers_are_the_papers(root: Path) -> None:
    homogcl, grace = (f"classification/cora/{name}" for name in ("grace+homogcl", "grace"))
    assert text(f"printed {homogcl} accuracy", root) == "84.5"
    assert text(f"printed {homogcl} over {grace} accuracy", root) == "3.0"
    assert text("printed clustering/photo/grace+homogcl nmi", root) == "0.671"
    with pytest.raises(UserError, match="no accuracy of grace on demo"):
        evaluate("printed classification/demo/grace accuracy", root)


def test_measures_come_by_part_and_name_with_what_made_them(root: Path) -> None:
    assert text('bench peer "photo: dense, time"', root) == "4.41"
    assert text('bench peer "photo: dense, time" .1', root) == "4.4"
    assert text("origin peer", root) == "2 cores"
    lacking = "processor and commit not recorded"
    assert text("origin memory", root) == f"2 cores, 1 thread, float32, {lacking}"
    assert text("origin loss", root) == "2 cores, Fast, 1 thread, float32, commit 0123456789"


@pytest.mark.parametrize(
    ("commit", "shown"),
    [
        ("0123456789abcdef-dirty", "float32, commit 0123456789-dirty, processor not recorded"),
        ("unknown", "float32, processor and commit not recorded"),
        ("none", "float32, processor and commit not recorded"),
    ],
)
def test_changed_and_unknown_code_is_told(commit: str, shown: str, root: Path) -> None:
    path = root / "benchmarks" / "results.json"
    measures = json.loads(path.read_text())
    measures["memory"]["commit"] = commit
    path.write_text(json.dumps(measures))
    assert text("origin memory", root).endswith(shown)


def test_a_rounded_zero_has_no_sign(root: Path) -> None:
    keep(root, "gca", *(value - 0.0001 for value in PLUGGED))
    loss = "presets/cora/gca over presets/cora/grace+homogcl accuracy"
    assert evaluate(f"mean {loss}", root).number == pytest.approx(-0.01)
    assert text(f"mean {loss}", root) == "0.0"
    assert text(f"mean {loss} +.1", root) == "+0.0"


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("median presets/cora/grace accuracy", "median"),
        ("mean presets/cora/nobody accuracy", "nobody has records of 0 settings"),
        ("mean presets/cora/grace[ accuracy", "is not written"),
        ("mean presets/cora/grace f1", "no record has the metric 'f1'"),
        ("mean presets/cora/grace", "write STATISTIC RUNS METRIC"),
        ("std presets/cora/grace[seed=0] accuracy", "std takes two seeds"),
        ("p presets/cora/grace accuracy", "p and interval take `over`"),
        ('bench peer "photo: dense, tame"', "dense, tame"),
        ("bench pear x", "pear"),
        ("", "expression"),
    ],
)
def test_mistakes_are_named(expression: str, complaint: str, root: Path) -> None:
    with pytest.raises(UserError, match=complaint.replace("[", r"\[")):
        evaluate(expression, root)
