"""The spread of the probe alone: nothing now, and what Adam's had."""

from __future__ import annotations

import dataclasses

import pytest
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.evaluate.adam_probe import AdamProbeConfig
from homogcl.runs.scores import inputs_of
from reproduction import probe_spread
from reproduction.probe_spread import probe_spreads


def test_only_adams_probe_depends_on_its_start(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Few steps, after which the first weights still show.
    monkeypatch.setattr(probe_spread, "AdamProbeConfig", lambda: AdamProbeConfig(steps=1))
    spreads = probe_spreads(inputs_of(block_graph.x, block_graph, seed=0))
    assert spreads["probe_spread"] == 0
    assert spreads["adam_spread"] > 0


def test_a_graph_without_labels_is_refused(block_graph: Data) -> None:
    inputs = dataclasses.replace(inputs_of(block_graph.x, block_graph, seed=0), labels=None)
    with pytest.raises(UserError, match="needs labels"):
        probe_spreads(inputs)
