"""The measures from tables beyond memory to an index, on a graph that takes a moment."""

import math
from pathlib import Path

import pytest

from benchmarks import large
from homogcl.core.errors import UserError


def test_each_stage_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "BLOCK", 1500)
    calls = {f"large_{stage}": getattr(large, f"large_{stage}") for stage in large.STAGES}
    calls["large_tables"] = large.large_tables
    monkeypatch.setattr(large, "measure", lambda name, *arguments: calls[name](*arguments))
    rows = {what: value for what, value, _ in large.large([400, 800])}
    assert rows["N = 400: recall of 10 nearest"] > 0.95
    for stage in large.STAGES:
        assert rows[f"N = 400: {stage}, minutes"] > 0
        assert rows[f"N = 400: {stage}, GB"] > 0
        assert math.isfinite(rows[f"exponent of {stage} in N"])
    assert 0 <= rows["N = 400: share of an epoch without a batch, %"] <= 100


def test_sizes_stand_behind_an_option() -> None:
    assert large.sizes_of(["large", "--nodes", "10,20"]) == (["large"], [10, 20])
    assert large.sizes_of(["scale"]) == (["scale"], large.SIZES)
    with pytest.raises(UserError, match="write the sizes as"):
        large.sizes_of(["large", "--nodes", "many"])
