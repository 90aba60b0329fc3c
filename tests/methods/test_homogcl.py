"""Closed-form HomoGCL: its blocks against loops, and what it does where neighbors disagree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core import held_out
from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.data.edges import undirected
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.data.splits import random_split
from homogcl.data.synthetic import citation_graph
from homogcl.evaluate.probe import linear_probe
from homogcl.methods import homogcl, slabs
from homogcl.methods.base import Sizes
from homogcl.methods.homogcl import ClosedForm
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.nn import operators
from homogcl.nn.operators import Normalized
from homogcl.training.loop import TrainConfig, fit


def fitted(graph: Data, seed: int = 0, name: str = "homogcl", **settings: object) -> ClosedForm:
    method = build(name, settings, Sizes.of(graph), seed)
    return fit(method, graph, TrainConfig(epochs=0), seed=seed)  # type: ignore[return-value]


def shuffled(graph: Data, share: float, seed: int = 0) -> Data:
    """The graph with a share of its edges led to the target of another edge."""
    rng = np.random.default_rng(seed)
    once = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].numpy().copy()
    wrong = np.flatnonzero(rng.random(once.shape[1]) < share)
    once[1, wrong] = once[1, rng.permutation(wrong)]
    pairs = torch.from_numpy(once[:, once[0] != once[1]])
    edge_index, _ = undirected(pairs, int(graph.num_nodes or 0))
    return Data(x=graph.x, edge_index=edge_index, y=graph.y)


def accuracy(z: Tensor, graph: Data) -> float:
    split = random_split(int(graph.num_nodes or 0), stream(0, "split"))
    return linear_probe(z, graph.y, split)["test_accuracy"]


def test_blocks_are_those_of_the_formula(block_graph: Data) -> None:
    method = fitted(block_graph, rounds=(2,), rich_powers=(1,), feature_weight=0.4, rich_weight=0.7)
    method.likeness.fill_(0.625)
    assert method.trust == 0.5
    rows = normalize(block_graph.x)
    x = normalize(rows @ method.features - method.features_mean)
    v = rows @ method.weight - method.weight_mean
    half = (v.size(1) + 1) // 2
    y = torch.stack([v[:, c] * method.agreement[c] ** 2 for c in range(half)], dim=1)
    average = Normalized.of(block_graph)
    sharp = []
    for power in range(3):
        sharp.append(0.5 ** (power + 1) * normalize(y))
        y = average(y, y.new_zeros(1))
    rich = [0.7 * 0.5**2 * normalize(average(v, v.new_zeros(1)))]
    blocks = [(1 - 0.6 * 0.5) * x, *sharp, *rich]
    torch.testing.assert_close(method.embed(block_graph), torch.cat(blocks, dim=1))


def test_sparse_features_are_embedded_as_dense_ones_are(block_graph: Data) -> None:
    method = fitted(block_graph)
    block_graph.x[3] = 0
    z = method.embed(block_graph)
    block_graph.x = block_graph.x.to_sparse_csr()
    torch.testing.assert_close(method.embed(block_graph), z)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_graph_on_disk_is_embedded_as_in_memory(
    sparse: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = citation_graph(300, 4, 40, homophily=0.8, seed=1)
    graph.x = graph.x.to_dense() if not sparse else graph.x.to_dense().to_sparse_csr()
    method = fitted(graph)
    z = embeddings(method, graph)
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    monkeypatch.setattr(slabs, "SLAB", 300 * 16)
    for name, value in (("MOST_EDGES", 10), ("_EDGES", 64), ("_ROWS", 33)):
        monkeypatch.setattr(operators, name, value)
    monkeypatch.setattr(held_out, "_TOGETHER", 50)
    mapped = fitted(opened)
    assert mapped.held_out_edges == method.held_out_edges
    assert float(mapped.ridge) == float(method.ridge)
    assert float(mapped.likeness) == pytest.approx(float(method.likeness), abs=1e-4)
    torch.testing.assert_close(mapped.agreement, method.agreement, rtol=1e-4, atol=1e-5)
    other = embeddings(mapped, opened)
    # The sign of a direction is anybody's.
    torch.testing.assert_close(other @ other.T, z @ z.T, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(embeddings(method, opened), z, rtol=1e-4, atol=1e-5)


MEASURE = """
import sys
from pathlib import Path
from homogcl.core import held_out
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.data.mapped import open_mapped
from homogcl.methods import slabs
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.nn import operators
from homogcl.training.loop import TrainConfig, fit
from homogcl.testing.graphs import block_graph

def embedded(graph):
    method = build("homogcl", {"ridges": (1.0,), "rounds": (4,)}, Sizes.of(graph), 0)
    return embeddings(fit(method, graph, TrainConfig(epochs=0), seed=0), graph)

slabs.SLAB, held_out._TOGETHER = 2**19, 2**14
operators.MOST_EDGES, operators._EDGES, operators._ROWS = 10, 2**14, 2**12
graph = open_mapped(Path(sys.argv[1]))
embedded(block_graph())  # loads the code
before = reset_peak()
print(before, embedded(graph).nbytes, peak_bytes() - before)
"""


def test_memory_is_far_less_than_the_result(tmp_path: Path) -> None:
    nodes = 60_000
    ring = torch.arange(nodes)
    around = torch.stack([(ring - 1) % nodes, (ring + 1) % nodes], 1).sort(dim=1).values.flatten()
    edges = torch.stack([ring.repeat_interleave(2), around])
    x = torch.randn(nodes, 64, generator=torch.Generator().manual_seed(0))
    folder = write_mapped(Data(x=x, edge_index=edges), tmp_path / "graph")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, folder], check=True, capture_output=True, text=True
    )
    before, result, taken = map(int, done.stdout.split())
    assert result == 4 * nodes * (64 + 5 * 32 + 3 * 64)
    assert before == 0 or taken < result / 2


def test_random_edges_leave_the_features_alone() -> None:
    graph = shuffled(citation_graph(400, 4, 80, homophily=0.9), share=1.0)
    method = fitted(graph)
    assert method.trust < 0.3
    honest = fitted(citation_graph(400, 4, 80, homophily=0.9))
    assert honest.trust > 2 * method.trust


@pytest.mark.parametrize("homophily", [0.1, 0.3])
def test_it_tells_more_than_features_and_averages_where_neighbors_differ(homophily: float) -> None:
    graph = citation_graph(1200, 5, 300, homophily=homophily, seed=3)
    score = {
        name: accuracy(embeddings(fitted(graph, name=name), graph), graph)
        for name in ("raw", "propagation", "homogcl")
    }
    assert score["homogcl"] > max(score["raw"], score["propagation"])


def test_it_withstands_wrong_edges_better_than_averages_do() -> None:
    graph = shuffled(citation_graph(1200, 5, 300, homophily=0.9, seed=3), share=0.6)
    score = {
        name: accuracy(embeddings(fitted(graph, name=name), graph), graph)
        for name in ("raw", "propagation", "homogcl")
    }
    assert score["homogcl"] > max(score["raw"], score["propagation"])


def test_edge_scores_rank_edges_across_classes_low() -> None:
    graph = citation_graph(800, 4, 200, homophily=0.7, seed=1)
    method = fitted(graph)
    s = method.edge_scores(graph)
    assert s is not None
    again, other = method.edge_scores(graph, seed=0), method.edge_scores(graph, seed=1)
    assert again is not None
    assert other is not None
    assert torch.equal(s, again)
    assert not torch.equal(s, other)  # folds and decoys of its own
    assert float(s.min()) >= 0
    assert float(s.max()) <= 1 + 1e-6
    source, target = graph.edge_index
    same = (graph.y[source] == graph.y[target]).numpy()
    rows = normalize(graph.x.to_dense())
    assert roc_auc_score(same, s) > roc_auc_score(same, (rows[source] * rows[target]).sum(dim=1))


def test_an_untrained_one_scores_no_edges(block_graph: Data) -> None:
    assert build("homogcl", {}, Sizes.of(block_graph), 0).edge_scores(block_graph) is None


def test_nodes_without_edges_are_embedded_by_their_features() -> None:
    graph = citation_graph(800, 4, 200, homophily=0.9, seed=2)
    alone = Data(x=graph.x, edge_index=graph.edge_index[:, :0], y=graph.y)
    z = embeddings(fitted(graph), alone)
    assert accuracy(z, graph) > accuracy(graph.x.to_dense(), graph)


def test_a_graph_without_edges_has_its_features_only(block_graph: Data) -> None:
    block_graph.edge_index = block_graph.edge_index[:, :0]
    method = fitted(block_graph)
    assert method.trust == 0
    z = embeddings(method, block_graph)
    width = method.features.size(1)
    assert z[:, :width].any()
    assert not z[:, width:].any()


def test_wide_features_are_reduced_to_their_leading_axes(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homogcl, "_MOST_ROWS", 31)
    method = fitted(block_graph, axes=3)
    assert method.weight.shape == (block_graph.num_features, 3)
    assert embeddings(method, block_graph).isfinite().all()


@pytest.mark.parametrize("ridges", [(), (-1.0,), (1.0, 0.0)])
def test_ridges_are_positive(block_graph: Data, ridges: tuple[float, ...]) -> None:
    with pytest.raises(UserError, match="setting ridges"):
        build("homogcl", {"ridges": ridges}, Sizes.of(block_graph), 0)


def test_the_ridge_is_the_largest_of_those_that_do_as_well(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    areas = iter([0.80, 0.90, 0.899, 0.5])
    monkeypatch.setattr(homogcl, "_area", lambda z, links: next(areas))
    method = fitted(block_graph, ridges=(0.1, 1.0, 10.0, 100.0), rounds=(4,))
    assert float(method.ridge) == 10.0
    assert float(method.likeness) == pytest.approx(0.899)  # of that ridge, not of the best one


@pytest.mark.parametrize(
    ("areas", "rounds"), [((0.9, 0.9), 8), ((0.9, 0.1), 6), ((0.1, 0.9), 8), ((0.1, 0.1), 4)]
)
def test_the_rounds_are_the_most_that_tell_edges_as_well_as_two(
    block_graph: Data, monkeypatch: pytest.MonkeyPatch, areas: tuple[float, float], rounds: int
) -> None:
    judged = iter([0.91, *areas])
    monkeypatch.setattr(homogcl, "_area", lambda z, links: next(judged))
    method = fitted(block_graph, ridges=(1.0,), rounds=(4, 6, 8))
    assert int(method.rounds) == rounds
    blocks = 1 + (rounds + 1) / 2 + len(method.config.rich_powers)  # Y has half of the columns
    assert method.embed(block_graph).size(1) == blocks * method.weight.size(1)


def test_two_rounds_are_as_good_as_two(block_graph: Data) -> None:
    assert int(fitted(block_graph, rounds=(1, 2)).rounds) == 2


def test_more_rounds_are_taken_where_neighbors_belong_together() -> None:
    alike = fitted(citation_graph(1200, 5, 300, homophily=0.95, topic_share=0.2, seed=5))
    apart = fitted(citation_graph(1200, 5, 300, homophily=0.2, topic_share=0.8, seed=5))
    assert int(alike.rounds) > int(apart.rounds) == 4
