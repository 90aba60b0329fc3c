"""What is said under a table of untrained methods and of pairs that are not alike."""

from __future__ import annotations

from pathlib import Path

from homogcl.pages.table import Table
from homogcl.runs.record import Record, write_record
from reproduction.paper.untrained import (
    unlike_note,
    untrained_note,
    untrained_runs,
    with_notes,
)
from tests.records import make_record


def test_untrained_methods_are_named_with_what_they_score_on_each_data_set() -> None:
    records = [
        make_record(method="propagation", seed=seed, metrics={"test_accuracy": accuracy})
        for seed, accuracy in ((0, 0.8), (1, 0.82))
    ]
    records += [
        make_record(method="raw", metrics={"test_accuracy": 0.6, "nmi": 0.25}),
        make_record(method="grace", metrics={"test_accuracy": 0.9}),
        make_record(method="random", data="photo", metrics={"adam_test_accuracy": 0.5}),
    ]
    assert untrained_note(records, ["photo", "cora", "pubmed"]) == (
        "Without any training, photo: random 50.00 (1) †; "
        "cora: raw 60.00 (1), propagation 81.00 ± 1.41 (2).",
    )
    assert untrained_note(records, ["cora"], "nmi") == (
        "Without any training, cora: raw 0.250 (1).",
    )
    assert untrained_note(records, ["pubmed"]) == ()


def test_plug_ins_that_drew_negatives_by_cluster_are_counted() -> None:
    def run(method: str, negatives: str, **changes: object) -> Record:
        return make_record({"method": {"negatives": negatives}}, method=method, **changes)

    records = [
        run("grace+homogcl", "sampled", commit="unknown"),
        run("grace+homogcl", "sampled", commit="unknown", seed=1),
        run("grace+homogcl", "sampled", commit="0123456789", seed=2),
        run("grace+homogcl", "exact", commit="unknown", seed=3),
        run("grace", "sampled", commit="unknown"),
    ]
    (line,) = unlike_note(records)
    assert line.endswith("which are uniform: grace+homogcl on cora (2).")
    assert unlike_note(records[2:]) == ()


def test_further_lines_follow_those_of_the_table() -> None:
    table = Table(("a",), ((1,),), 2, notes=("one",))
    assert with_notes(table, "two").notes == ("one", "two")


def test_untrained_runs_are_those_of_the_presets(tmp_path: Path) -> None:
    assert untrained_runs(tmp_path) == []
    raw = make_record(method="raw")
    for each in (raw, make_record(method="grace")):
        write_record(tmp_path / "presets", each)
    assert untrained_runs(tmp_path) == [raw]
