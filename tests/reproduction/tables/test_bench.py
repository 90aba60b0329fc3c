"""Tables of kept measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from reproduction.tables.bench import measures_table, methods_table, sampling_table


def keep(folder: Path, **parts: list[tuple[str, float]]) -> Path:
    rows = {
        part: {"rows": [{"measure": name, "value": value, "held_to": ""} for name, value in each]}
        for part, each in parts.items()
    }
    path = folder / "results.json"
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_measures_come_in_the_order_of_their_parts(tmp_path: Path) -> None:
    path = keep(tmp_path, loss=[("loss", 2.0)], peer=[("step", 4.4444), ("memory", 1234.5)])
    rows = measures_table(path, ("peer", "absent", "loss")).rows
    assert rows == (("step", "4.44", ""), ("memory", "1.23e+03", ""), ("loss", "2", ""))


def test_a_method_has_one_row_of_time_and_memory(tmp_path: Path) -> None:
    both = [("bgrl: time", 0.5), ("bgrl: memory", 0.251)]
    path = keep(tmp_path, methods=[*both, ("gca: time", 2), ("gca: memory", 1)])
    assert methods_table(path).rows == (("bgrl", "0.50", "0.25"), ("gca", "2.00", "1.00"))


def test_errors_of_sampling_stand_by_number_and_kind(tmp_path: Path) -> None:
    path = keep(
        tmp_path,
        negatives=[
            ("loss M=256, uniform tau=0.5: error (%)", 1.234),
            ("loss M=64, uniform tau=0.5: error (%)", 4.5),
            ("loss M=64, by cluster tau=0.5: error (%)", 0.56),
        ],
    )
    table = sampling_table(path)
    assert table.columns == ("M", "loss, uniform, τ = 0.5", "loss, by cluster, τ = 0.5")
    assert table.rows == ((64, "4.5", "0.56"), (256, "1.2", None))


def test_a_missing_file_is_named_with_the_command_that_writes_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.json: .*python -m benchmarks"):
        measures_table(tmp_path / "nowhere.json")
