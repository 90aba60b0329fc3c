"""The measures from tables beyond memory to an index, on a graph that takes a moment."""

import math
import tempfile
from pathlib import Path

import pytest

from benchmarks import large
from homogcl.core.errors import UserError
from homogcl.data.mapped import is_mapped


def test_each_stage_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "BLOCK", 1500)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    calls: list[str] = []

    def measure(name: str, *arguments: object) -> dict[str, float]:
        calls.append(name)
        measured: dict[str, float] = getattr(large, name)(*arguments)
        return measured

    monkeypatch.setattr(large, "measure", measure)
    rows = {what: value for what, value, _ in large.large([400, 800])}
    assert len(calls) == 2 * (1 + len(large.STAGES))
    assert large.large([400, 800]) == [
        (what, rows[what], held) for what, _, held in large.large([400, 800])
    ]
    assert len(calls) == 2 * (1 + len(large.STAGES))  # nothing is measured twice
    left = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert left == ["measured.json"] * 2
    assert rows["N = 400: recall of 10 nearest"] > 0.95
    for stage in (large.NAMES.get(stage, stage) for stage in large.STAGES):
        assert rows[f"N = 400: {stage}, minutes"] > 0
        assert rows[f"N = 400: {stage}, GB"] > 0
        assert math.isfinite(rows[f"exponent of {stage} in N"])
    assert 0 <= rows["N = 400: share of an epoch without a batch, %"] <= 100


def test_sizes_stand_behind_an_option() -> None:
    assert large.sizes_of(["large", "--nodes", "10,20"]) == (["large"], [10, 20])
    assert large.sizes_of(["scale"]) == (["scale"], large.SIZES)
    with pytest.raises(UserError, match="write the sizes as"):
        large.sizes_of(["large", "--nodes", "many"])


def test_a_stage_that_was_killed_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for _ in range(2):
        large.large_tables(50, str(tmp_path))
        large.large_sort(str(tmp_path))
        large.large_import(str(tmp_path))
    assert is_mapped(tmp_path / "graph")
