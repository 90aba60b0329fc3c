"""Records of the former probe: which are found, and what takes their place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.runs.grid import run_cell
from homogcl.runs.record import Record, read_record, read_records, write_record
from homogcl.runs.request import Request
from reproduction.rescore import Selection, former_table, trainings_again
from tests.records import make_record

SPEC = Request("grace", "demo", overrides={"epochs": 2, "hidden_dim": 8, "out_dim": 4})


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A record as the former probe left it, with a milestone."""
    spec = replace(SPEC, milestones=(1,), tasks=("probe-adam", "cluster"))
    return run_cell(spec.resolve(by_size=False), tmp_path_factory.mktemp("results"))[0]


def former(settings: dict[str, JsonValue] | None = None, **changes: object) -> Record:
    return make_record(settings, metrics={"adam_test_accuracy": 0.5}, **changes)


def test_only_records_without_the_present_probe_are_selected(tmp_path: Path) -> None:
    for each in (former(seed=0), make_record(metrics={"test_accuracy": 0.5}, seed=1)):
        write_record(tmp_path / "presets", each)
    write_record(tmp_path / "presets", make_record(metrics={"nmi": 0.5}, seed=2))
    selection = Selection(["presets"])
    assert [each.seed for _, each in selection.former(tmp_path)] == [0]


def test_order_is_that_of_the_names_with_seeds_together(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        for data in ("cora", "photo"):
            for method in ("bgrl", "dgi"):
                for seed in (1, 0):
                    write_record(tmp_path / folder, former(data=data, method=method, seed=seed))
    selection = Selection(["b", "a"], data=["photo", "cora"], methods=["dgi"])
    order = [(f, each.method, each.data, each.seed) for f, each in selection.former(tmp_path)]
    assert order == [
        (folder, "dgi", data, seed)
        for folder in ("b", "a")
        for data in ("photo", "cora")
        for seed in (0, 1)
    ]


def test_the_first_seeds_may_do(tmp_path: Path) -> None:
    for seed in range(4):
        write_record(tmp_path / "presets", former(seed=seed))
    selection = Selection(["presets"], seeds=2)
    assert [each.seed for _, each in selection.former(tmp_path)] == [0, 1]


def test_all_seeds_of_a_setting_are_cheap_or_none(tmp_path: Path) -> None:
    for seed, seconds in enumerate((30.0, 60.0, 90.0)):
        write_record(tmp_path / "presets", former(seed=seed, seconds=seconds))
    write_record(tmp_path / "presets", former({"train": {"epochs": 9}}, seconds=61.0))
    table = former_table(Selection(["presets"], seconds=60.0), tmp_path)
    assert [row[:3] for row in table.rows] == [("presets", "cora", "4")]
    assert table.rows[0][3] == pytest.approx(241 / 60)
    assert table.rows[0][4] == "3"


def test_a_record_is_replaced_by_one_with_all_that_it_had(tmp_path: Path, record: Record) -> None:
    path = write_record(tmp_path / "presets", record)
    selection = Selection(["presets"], seconds=1e6)
    (training,) = trainings_again(selection, tmp_path)
    assert training.path(tmp_path) == path
    training.run(tmp_path)
    again = read_record(path)
    assert len(read_records(tmp_path)) == 1
    assert {"test_accuracy", "adam_test_accuracy", "nmi"} <= set(again.metrics)
    assert {"test_accuracy", "adam_test_accuracy"} <= set(again.milestones["1"])
    assert again.metrics["adam_test_accuracy"] == record.metrics["adam_test_accuracy"]
    assert trainings_again(selection, tmp_path) == []


def test_long_trainings_and_settings_of_the_past_are_left_alone(
    tmp_path: Path, record: Record
) -> None:
    write_record(tmp_path / "presets", record.model_copy(update={"seconds": 1000.0}))
    method = record.resolved["method"]
    assert isinstance(method, dict)
    past = {**record.resolved, "method": {**method, "a_setting_of_the_past": 1}}
    write_record(tmp_path / "presets", record.model_copy(update={"resolved": past, "seed": 1}))
    assert trainings_again(Selection(["presets"]), tmp_path) == []


def test_how_a_step_was_computed_does_not_matter(tmp_path: Path, record: Record) -> None:
    train = record.resolved["train"]
    assert isinstance(train, dict)
    past = {**record.resolved, "train": {**train, "share_products": False}}
    path = write_record(tmp_path / "presets", record.model_copy(update={"resolved": past}))
    (training,) = trainings_again(Selection(["presets"], seconds=1e6), tmp_path)
    assert training.path(tmp_path) == path


def test_a_folder_without_records_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no records at .*nowhere"):
        trainings_again(Selection(["nowhere"]), tmp_path)


def test_a_folder_of_folders_is_refused(tmp_path: Path) -> None:
    write_record(tmp_path / "study" / "levers", former())
    with pytest.raises(UserError, match="study holds folders of records: name one, such as levers"):
        trainings_again(Selection(["study"]), tmp_path)
