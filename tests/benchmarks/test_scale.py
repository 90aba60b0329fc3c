"""The parts of the benchmark of large graphs, at sizes that take a moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import scale
from benchmarks.process import Measured
from homogcl.data.load import citation_graph
from homogcl.presets.resolve import resolve


@given(a=st.floats(0.1, 10), b=st.floats(-2, 3))
def test_exponent_is_that_of_a_power_law(a: float, b: float) -> None:
    sizes = [3.0, 50.0, 700.0]
    assert scale.exponent(sizes, [a * n**b for n in sizes]) == pytest.approx(b, abs=1e-9)


@pytest.mark.parametrize(("negatives", "batch"), [("exact", 0), ("sampled", 1200)])
def test_an_epoch_is_measured(negatives: str, batch: int) -> None:
    taken = scale.epoch(2400, negatives, batch, 2)
    assert taken["nodes"] == 2400
    assert taken["edges"] == 12000
    assert taken["seconds"] > 0
    assert taken["bytes"] >= taken["bytes_of_the_graph"] > 0


def test_a_step_of_arxivs_kind_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOMOGCL_TILE_MIB", "512")
    taken = scale.arxiv_step(300, 3000)
    assert scale.arxiv_epoch(300, 3000, 20)["edges"] == taken["edges"]
    assert (taken["nodes"], taken["edges"]) == (300, 3000)
    assert taken["seconds"] > 0


def test_operations_are_those_of_the_pages_model() -> None:
    graph = citation_graph(num_nodes=100, num_words=20, seed=0)
    values, edges = 100 * 20, graph.num_edges  # so few words are stored dense
    small = {"hidden_dim": 4, "out_dim": 2, "num_negatives": 8, "num_clusters": 3}
    encoder = 18 * values * 4 + 18 * 100 * 4 * 2 + 80 * 100 * 3 * 2
    exact = resolve("grace+homogcl", "unknown", small)
    wanted = encoder + 18 * edges * 6 + 16 * 100**2 * 2
    assert scale.operations(graph, exact) == pytest.approx(wanted)
    batched = {"negatives": "sampled", "batch": "parts", "batch_size": 25}
    sampled = resolve("grace+homogcl", "unknown", {**small, **batched})
    wanted = encoder + 18 * (edges / 4) * 6 + 24 * 100 * 8 * 2
    assert scale.operations(graph, sampled) == pytest.approx(wanted)


def test_rows_are_made_of_the_measures_and_the_picture_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[object, ...]] = []

    def fake(name: str, *arguments: int | str, processes: int = 1, threads: int = 0) -> Measured:
        calls.append((name, *arguments, processes))
        nodes = int(arguments[0])
        cost = nodes**2 / 1e4 if "exact" in arguments else nodes / processes
        return {
            "nodes": nodes,
            "edges": 5 * nodes,
            "operations": 3e9 * nodes,
            "seconds": float(cost),
            "bytes": 8e9,
            "bytes_of_the_graph": 2e9,
        }

    monkeypatch.setattr(scale, "measure", fake)
    measures = scale.scale((10, 100), 7, tmp_path / "p.svg")
    rows = {what: (value, held) for what, value, held in measures}
    assert rows["exponent of seconds in N"][0] == pytest.approx(1.0)
    assert rows["exponent of seconds in N"][1] == "at most 1.1"
    assert rows["N = 100: GB in all"] == (8.0, "")
    assert rows["N = 100: GFLOP/s by the model"][0] == pytest.approx(3.0)
    assert rows["sampled, batches shared: one over two"] == (2.0, "")
    assert rows["exact over sampled, time"][0] == pytest.approx(0.001)
    assert ("epoch", 100, "sampled", 7, 2, 1) in calls
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")
    assert ("GB in all", 8.0, "under 4") in scale.arxiv(50, 100)
    assert ("arxiv_epoch", 50, 100, 1) not in calls
    assert ("GB in all, 256 sampled negatives", 8.0, "") in scale.arxiv_sampled(50, 100)
    assert ("arxiv_epoch", 50, 100, 1) in calls
