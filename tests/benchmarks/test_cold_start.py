"""Inference without edges: what is measured, and what it is held to."""

from __future__ import annotations

import pytest
import torch

from benchmarks import cold_start, steps
from homogcl.data.load import load
from homogcl.methods.registry import Sizes, build


def test_rates_of_a_small_graph_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_WARM", 1)
    taken = cold_start.cold_nodes("demo", 1)
    keys = ("all", "asked")
    ratios = {f"{each}, {key}" for each in ("default", "mlp") for key in keys}
    assert set(taken) == {*keys, *ratios}
    assert min(taken.values()) > 0


def test_nodes_that_are_asked_for_have_the_vectors_of_the_whole_graph() -> None:
    graph = load("demo")
    method = build("propagation", {"powers": (0, 1)}, Sizes.of(graph), seed=0)
    some = torch.tensor([5, 0, 77])
    near = cold_start._with_neighbors(method, graph, some)()
    torch.testing.assert_close(near, method.embed(graph)[some])


def test_rows_name_what_they_are_held_to(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ("all", "asked")
    ratios = {f"{each}, {key}": 2.0 for each in ("default", "mlp") for key in keys}
    monkeypatch.setattr(cold_start, "measure", lambda *_: {"all": 1.0, "asked": 1.0, **ratios})
    rows = cold_start.cold_start()
    assert [value for _, value, held in rows if held == "at least 10"] == [2.0] * 4
