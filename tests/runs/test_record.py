from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from homogcl.core.errors import UserError
from homogcl.runs.record import (
    Record,
    aggregate,
    cell_path,
    is_done,
    names_of,
    read_record,
    read_records,
    record_path,
    settings_sha256,
    split_sha256,
    write_record,
)
from tests.records import make_record


def seeds(metric: str, values: list[float]) -> list[Record]:
    return [make_record(seed=i, metrics={metric: v}) for i, v in enumerate(values)]


fractions = st.floats(0, 1)


@given(
    metrics=st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)),
    milestones=st.dictionaries(
        st.integers(0, 10**6).map(str), st.dictionaries(st.text(), fractions)
    ),
    settings=st.recursive(
        st.dictionaries(st.text(), st.integers() | st.text() | st.booleans() | fractions),
        lambda inner: st.dictionaries(st.text(), inner | st.lists(inner)),
        max_leaves=5,
    ),
)
def test_a_record_survives_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory,
    metrics: dict[str, float],
    milestones: dict[str, dict[str, float]],
    settings: dict[str, JsonValue],
) -> None:
    root = tmp_path_factory.mktemp("records")
    record = make_record(metrics=metrics, milestones=milestones, settings=settings)
    path = write_record(root, record)
    assert read_record(path) == record
    assert read_records(root) == [record]
    assert [file for file in root.rglob("*") if file.is_file()] == [path]


def test_the_path_tells_data_method_settings_and_seed(tmp_path: Path) -> None:
    record = make_record(seed=3)
    digest = record.settings_sha256[:10]
    path = record_path(tmp_path, record)
    assert path == tmp_path / "cora" / "grace+homogcl" / f"{digest}-s3.json"
    assert path == cell_path(
        tmp_path, data="cora", method="grace+homogcl", settings=record.settings, seed=3
    )


def test_records_are_read_in_the_order_of_numbers(tmp_path: Path) -> None:
    for seed in (10, 9, 2):
        write_record(tmp_path, make_record(seed=seed))
    write_record(tmp_path, make_record(data="acm", seed=11))
    assert [(r.data, r.seed) for r in read_records(tmp_path)] == [
        ("acm", 11),
        ("cora", 2),
        ("cora", 9),
        ("cora", 10),
    ]


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_record(tmp_path, make_record(seconds=1.0))

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(UserError, match=r"cannot write .*-s0\.json: No space left on device"):
        write_record(tmp_path, make_record(seconds=2.0))
    assert read_record(path).seconds == 1.0
    assert list(path.parent.iterdir()) == [path]


def test_a_file_in_place_of_a_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "cora").write_text("not a folder")
    with pytest.raises(UserError, match="cannot write"):
        write_record(tmp_path, make_record())


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text[: len(text) // 2], "invalid JSON"),
        (lambda text: "", "invalid JSON"),
        (lambda text: text.replace('"seed": 0', '"seed": -1'), "seed: "),
        (lambda text: text.replace('"seed": 0', '"seed": 0, "sead": 0'), "sead: "),
        (lambda text: text.replace('"seed": 0,', ""), "seed: "),
        (lambda text: text.replace('"schema_version": 1', '"schema_version": 2'), "schema_version"),
        (lambda text: text.replace('"epochs": 20', '"epochs": 200'), "not the hash of settings"),
        (lambda text: text.replace("0.79", "NaN"), r"metrics\.val_accuracy: "),
    ],
)
def test_a_broken_record_is_refused_in_one_line_with_its_name(
    tmp_path: Path, damage: Callable[[str], str], complaint: str
) -> None:
    path = write_record(tmp_path, make_record())
    text = path.read_text()
    assert damage(text) != text
    path.write_text(damage(text))
    for read in (lambda: read_records(tmp_path), lambda: is_done(path)):
        with pytest.raises(UserError, match=complaint) as caught:
            read()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        read_records(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["../up", "a/b", "a\\b", ".hidden", ""])
def test_a_name_that_would_leave_its_folder_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        make_record(data=name)
    with pytest.raises(ValidationError):
        make_record(method=name)


def test_a_failure_has_a_reason_and_success_has_none() -> None:
    assert make_record(status="failed", reason="loss is NaN", metrics={}).reason == "loss is NaN"
    with pytest.raises(ValidationError, match="reason"):
        make_record(status="failed")
    with pytest.raises(ValidationError, match="reason"):
        make_record(reason="none")


def test_only_a_run_that_ended_well_is_done(tmp_path: Path) -> None:
    record = make_record(status="failed", reason="loss is NaN")
    assert not is_done(record_path(tmp_path, record))
    assert not is_done(write_record(tmp_path, record))
    assert is_done(write_record(tmp_path, make_record()))


def test_the_hash_of_settings_is_blind_to_order_and_nothing_else() -> None:
    first = settings_sha256({"a": 1, "b": {"c": [1, 2], "d": None}})
    assert first == settings_sha256({"b": {"d": None, "c": [1, 2]}, "a": 1})
    assert first != settings_sha256({"a": 1, "b": {"c": [2, 1], "d": None}})
    assert first != settings_sha256({"a": 2, "b": {"c": [1, 2], "d": None}})


@given(masks=st.lists(st.lists(st.booleans(), max_size=20), min_size=3, max_size=3), data=st.data())
def test_the_hash_of_a_split_changes_with_every_bit(
    masks: list[list[bool]], data: st.DataObject
) -> None:
    digest = split_sha256(*masks)
    assert digest == split_sha256(*(np.array(mask, dtype=bool) for mask in masks))
    assert digest == split_sha256(*(torch.tensor(mask, dtype=torch.bool) for mask in masks))
    part = data.draw(st.integers(0, 2))
    longer = [mask + [False] * (i == part) for i, mask in enumerate(masks)]
    assert digest != split_sha256(*longer)
    if masks[part]:
        at = data.draw(st.integers(0, len(masks[part]) - 1))
        masks[part][at] = not masks[part][at]
        assert digest != split_sha256(*masks)


@given(st.lists(fractions, min_size=2, max_size=10))
def test_aggregate_is_the_mean_and_the_sample_deviation(values: list[float]) -> None:
    mean, std, n, _ = aggregate(seeds("nmi", values), "nmi")
    assert mean == pytest.approx(np.mean(values))
    assert std == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert n == len(values)


def test_aggregate_counts_only_runs_that_ended_well_with_the_metric() -> None:
    records = [
        *seeds("nmi", [0.5, 0.7]),
        make_record(seed=2, metrics={"ari": 0.1}),
        make_record(seed=3, metrics={"nmi": 0.0}, status="failed", reason="killed"),
    ]
    assert aggregate(records, "nmi") == pytest.approx((0.6, np.sqrt(0.02), 2, ""))
    assert aggregate(records, "ari") == (0.1, None, 1, "")
    with pytest.raises(UserError, match="'accuracy'"):
        aggregate(records, "accuracy")


def test_a_seed_that_counts_twice_is_refused() -> None:
    twice = [*seeds("nmi", [0.5, 0.7]), make_record(seed=1, metrics={"nmi": 0.7})]
    with pytest.raises(UserError, match=r"grace\+homogcl on cora: .* seed 1"):
        aggregate(twice, "nmi")


def milestones(*accuracies: tuple[int, float]) -> dict[str, dict[str, float]]:
    return {str(epochs): {"val_accuracy": accuracy} for epochs, accuracy in accuracies}


def test_the_end_of_a_training_is_a_milestone_too() -> None:
    record = make_record(
        {"train": {"epochs": 50}},
        milestones=milestones((20, 0.6)),
        metrics={"val_accuracy": 0.7},
    )
    assert record.by_epochs() == {20: {"val_accuracy": 0.6}, 50: {"val_accuracy": 0.7}}


def test_a_record_at_a_milestone_has_its_metrics_and_epochs() -> None:
    record = make_record(
        {"train": {"epochs": 50}}, milestones=milestones((20, 0.6)), metrics={"val_accuracy": 0.7}
    )
    early, end = record.at(20), record.at(50)
    assert (early.metrics, early.epochs) == ({"val_accuracy": 0.6, "epochs": 20.0}, 20)
    assert (end.metrics["val_accuracy"], end.epochs) == (0.7, 50)
    assert record.at(30).metrics == {"epochs": 30.0}
    assert record.milestones
    assert (early.seed, early.split_sha256) == (record.seed, record.split_sha256)


def test_what_the_former_probe_measured_is_marked_and_never_mixed_in() -> None:
    former = seeds("adam_test_accuracy", [0.2, 0.4])
    assert aggregate(former, "test_accuracy") == pytest.approx((0.3, np.sqrt(0.02), 2, "†"))
    present = make_record(seed=2, metrics={"test_accuracy": 0.9, "adam_test_accuracy": 0.1})
    assert aggregate([*former, present], "test_accuracy") == (0.9, None, 1, "")
    assert aggregate([*former, present], "adam_test_accuracy").n == 3
    assert names_of("test_accuracy") == ("test_accuracy", "adam_test_accuracy")
    assert names_of("nmi") == ("nmi",)


@pytest.mark.parametrize("epochs", ["ten", "-1", "07", "1.5"])
def test_milestones_are_numbers_of_epochs(epochs: str) -> None:
    with pytest.raises(ValidationError):
        make_record(milestones={epochs: {"val_accuracy": 0.5}})


def test_old_records_say_that_they_do_not_know_what_made_them(tmp_path: Path) -> None:
    record = make_record()
    path = write_record(tmp_path, record)
    fields = json.loads(path.read_text())
    del fields["commit"], fields["precision"], fields["machine"]["processor"]
    path.write_text(json.dumps(fields))
    old = read_record(path)
    assert (old.commit, old.precision, old.machine.processor) == ("unknown",) * 3
    assert old.machine.threads == 0
    assert record_path(tmp_path, old) == path
