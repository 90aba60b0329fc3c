"""Inference without edges: what is measured, and what it is held to."""

from __future__ import annotations

import pytest

from benchmarks import cold_start, steps


def test_rates_of_a_small_graph_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_WARM", 1)
    taken = cold_start.cold_nodes("demo", 1)
    assert taken["nodes"] > 0
    # With one round the ratio of the seconds is that of the rates.
    assert taken["ratio"] == pytest.approx(taken["nodes"] / taken["nodes_gcn"])


def test_rows_name_what_they_are_held_to(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"nodes": 2.0, "nodes_gcn": 1.0, "ratio": 2.0}
    monkeypatch.setattr(cold_start, "measure", lambda *_: values)
    rows = cold_start.cold_start()
    assert [value for _, value, held in rows if held == "at least 10"] == [2.0] * 4
