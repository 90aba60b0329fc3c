"""The estimate's parts; no test asks how long anything takes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from homogcl.advice.estimate import (
    COPIES,
    PIECES,
    Estimate,
    _Piece,
    doubt,
    estimate,
    kept_tiles,
    may_exceed,
    memory_needed,
    piece,
    seconds_of,
)
from homogcl.data.load import citation_graph
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs
from homogcl.methods.registry import method_names
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from tests.graphs import same, snapshot

NARROW: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "epochs": 7}


def test_a_piece_has_the_graphs_degree_and_its_nodes_features() -> None:
    graph = citation_graph(2000, 3, 40, mean_degree=6.0, seed=0)
    small = piece(graph, 500, seed=0)
    assert small.num_nodes == 500
    assert small.edge_index.size(1) / 500 == pytest.approx(6.0, rel=0.02)
    rows = {tuple(row) for row in graph.x.to_dense().tolist()}
    assert {tuple(row) for row in small.x.to_dense().tolist()} <= rows
    assert small.x.is_sparse_csr == graph.x.is_sparse_csr


def test_a_piece_keeps_weights_labels_and_masks() -> None:
    graph = citation_graph(200, 3, 10, seed=0)
    graph.edge_weight = torch.full((graph.edge_index.size(1),), 2.0)
    graph.train_mask = torch.ones(200, dtype=torch.bool)
    small = piece(graph, 50, seed=0)
    assert small.edge_weight.numel() == small.edge_index.size(1)
    assert small.y.numel() == small.train_mask.numel() == 50


def test_a_dense_graph_has_a_piece() -> None:
    nodes = torch.arange(60)
    everyone = torch.cartesian_prod(nodes, nodes).t()
    graph = Data(x=torch.ones(60, 2), edge_index=everyone[:, everyone[0] != everyone[1]])
    assert piece(graph, 10, seed=0).edge_index.size(1) <= 90


@pytest.mark.parametrize("nodes", [700, 1024, 2500])
@pytest.mark.parametrize("budget", [0, 3 * 4 * 2**20, 2**30])
def test_tiles_take_what_the_loss_borrows(
    nodes: int, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    borrow = Workspace.borrow

    def watched(self: Workspace, numel: int, like: torch.Tensor) -> torch.Tensor:
        taken.append(4 * numel)
        return borrow(self, numel, like)

    monkeypatch.setattr(Workspace, "borrow", watched)
    u = torch.ones(nodes, 2, requires_grad=True)
    info_nce(u, u, 0.5, negatives=AllPairs(Workspace(budget)))
    assert taken == [kept_tiles(nodes, budget)]


def test_sampled_negatives_hold_no_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.PIECES", (20, 40, 60))
    monkeypatch.setattr("homogcl.advice.estimate.peak_bytes", lambda: 10**6)
    monkeypatch.setattr("homogcl.advice.estimate.SHORT_STEP", 0.0)
    monkeypatch.setattr("homogcl.advice.estimate.reset_peak", lambda: 0)
    graph = citation_graph(600, 3, 10, seed=0)
    parameters = 16 * (10 * 8 + 8 + 8 * 4 + 4)
    for negatives in ("exact", "sampled"):
        overrides = {**NARROW, "negatives": negatives, "num_negatives": 5}
        expected = estimate("grace", resolve("grace", "", overrides), graph)
        assert expected is not None
        exact = negatives == "exact"
        here = kept_tiles(60, int(Workspace().budget * (60 / 600) ** 2)) if exact else 0
        tiles = kept_tiles(600, Workspace().budget) if exact else 0
        assert expected.bytes == parameters + tiles + (10**6 - parameters - here) * 10


@given(st.floats(0, 1e-3), st.floats(1e-9, 1e-6), st.integers(4000, 10**6))
def test_three_pieces_tell_the_seconds_of_the_whole(a: float, b: float, nodes: int) -> None:
    def cost(n: int) -> float:
        return a * n + b * n**2

    pieces = {size: cost(size) for size in PIECES}
    assert seconds_of(nodes, pieces) == pytest.approx(cost(nodes), rel=1e-6)


@given(st.lists(st.floats(1e-6, 1e3), min_size=3, max_size=3), st.integers(4000, 10**6))
def test_whatever_was_measured_more_nodes_take_longer(seconds: list[float], nodes: int) -> None:
    pieces = dict(zip(PIECES, seconds, strict=True))
    assert 0 < seconds_of(nodes, pieces) * 1.9 < seconds_of(2 * nodes, pieces)
    assert seconds_of(2 * nodes, pieces) < seconds_of(nodes, pieces) * 4.1


@pytest.mark.parametrize("pieces", [(20, 40, 60), PIECES])
def test_the_graph_and_torchs_generator_are_left_as_they_were(
    pieces: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.PIECES", pieces)
    graph = citation_graph(100, 3, 10, seed=0)
    before, state = snapshot(graph), torch.get_rng_state()
    expected = estimate("grace", resolve("grace", "", NARROW), graph)
    assert expected is not None
    assert expected.seconds > 0
    assert same(snapshot(graph), before)
    assert torch.equal(torch.get_rng_state(), state)


def test_twice_the_epochs_take_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.timed", lambda step, repeats: [0.25])
    graph = citation_graph(60, 3, 10, seed=0)
    for epochs in (4, 8):
        expected = estimate("bgrl", resolve("bgrl", "", {**NARROW, "epochs": epochs}), graph)
        assert expected is not None
        assert expected.seconds == 0.25 * epochs


@pytest.mark.parametrize("kind", ["parts", "neighbors", "metis"])
def test_batches_are_counted_and_no_graph_is_cut_up_for_it(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.timed", lambda step, repeats: [0.25])
    monkeypatch.setattr("homogcl.views.subgraphs._clusters", pytest.fail)
    graph = citation_graph(150, 3, 10, mean_degree=8.0, seed=0)
    overrides = {**NARROW, "batch": kind, "batch_size": 40}
    expected = estimate("bgrl", resolve("bgrl", "", overrides), graph)
    assert expected is not None
    assert expected.seconds == 0.25 * 7 * 4


@pytest.mark.parametrize(("free", "is_timed"), [(10**15, True), (1, False), (None, False)])
def test_short_steps_on_the_whole_graph_are_timed_where_they_fit(
    free: int | None, is_timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.PIECES", (20, 40, 60))
    monkeypatch.setattr("homogcl.advice.estimate.available_bytes", lambda: free)
    sizes: list[int] = []

    def seconds(of: _Piece) -> float:
        sizes.append(of._nodes)
        return 0.5 if of._nodes == 200 else 0.01

    monkeypatch.setattr(_Piece, "seconds", seconds)
    graph = citation_graph(200, 3, 10, seed=0)
    expected = estimate("bgrl", resolve("bgrl", "", {**NARROW, "epochs": 10}), graph)
    assert expected is not None
    assert (200 in sizes) == is_timed
    assert (expected.seconds == 5.0) == is_timed


@pytest.mark.parametrize("name", ["raw", "deepwalk"])
def test_what_trains_no_step_has_no_estimate(name: str) -> None:
    graph = citation_graph(60, 3, 10, seed=0)
    assert name in method_names()
    assert estimate(name, resolve(name, ""), graph) is None


@pytest.mark.parametrize(
    ("seconds", "size", "said"),
    [
        (0.2, 10, "about 1 seconds and 1 MB"),
        (59.0, 12_300_000, "about 59 seconds and 12 MB"),
        (60.0, 1_234_000_000, "about 1 minute and 1.2 GB"),
        (270.0, 10**9, "about 4.5 minutes and 1.0 GB"),
        (7200.0, 10**9, "about 2 hours and 1.0 GB"),
        (90_000 * 20.0, 10**9, "about 21 days and 1.0 GB"),
    ],
)
def test_it_reads_as_people_say_it(seconds: float, size: int, said: str) -> None:
    assert str(Estimate(seconds, size)) == said


def test_memory_is_doubted_only_where_there_is_too_little() -> None:
    assert doubt(10, 10) == doubt(10, None) == ""
    assert "negatives=sampled" in doubt(2 * 10**9, 10**9)


def test_memory_is_what_the_estimate_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.PIECES", (20, 40, 60))
    monkeypatch.setattr("homogcl.advice.estimate.peak_bytes", lambda: 10**6)
    monkeypatch.setattr("homogcl.advice.estimate.SHORT_STEP", 0.0)
    monkeypatch.setattr("homogcl.advice.estimate.reset_peak", lambda: 0)
    graph = citation_graph(600, 3, 10, seed=0)
    settings = resolve("grace", "", NARROW)
    expected = estimate("grace", settings, graph)
    assert expected is not None
    assert memory_needed(Run.of("grace", settings, graph)) == expected.bytes
    assert memory_needed(Run.of("raw", resolve("raw", ""), graph)) is None


def test_a_piece_too_small_for_the_settings_tells_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("homogcl.advice.estimate.PIECES", (20, 40, 60))
    graph = citation_graph(600, 3, 10, seed=0)
    many = {**NARROW, "negatives": "sampled", "num_negatives": 300}
    assert memory_needed(Run.of("grace", resolve("grace", "", many), graph)) is None


def test_small_arrays_cannot_exceed_the_memory() -> None:
    graph = Data(x=torch.ones(100, 8), edge_index=torch.zeros(2, 0, dtype=torch.long))
    run = Run.of("grace", resolve("grace", "", {"hidden_dim": 32, "out_dim": 4}), graph)
    widest = 4 * COPIES * 100 * 32
    assert may_exceed(run, widest - 1)
    assert not may_exceed(run, widest)
    graph.x = torch.ones(100, 64)
    assert may_exceed(run, 2 * widest - 1)
    graph.x = torch.eye(100).to_sparse_csr()  # of 100 numbers
    assert may_exceed(run, widest - 1)
    assert not may_exceed(run, widest)


def test_a_training_by_batches_is_as_many_steps_as_it_has_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = citation_graph(4000, 3, 40, seed=0)
    parts = []
    monkeypatch.setattr("homogcl.advice.estimate.timed", lambda step, repeats: [2.5, 2.0])
    monkeypatch.setattr(
        "homogcl.advice.estimate.fit", lambda method, part, *_, **__: parts.append(part)
    )
    overrides = {**NARROW, "batch": "parts", "batch_size": 1000}
    expected = estimate("grace", resolve("grace", "unknown", overrides), graph)
    assert expected is not None
    assert expected.seconds == 7 * 4 * 2.0
    assert [part.num_nodes for part in parts] == [1000]
