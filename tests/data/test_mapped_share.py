"""Shares of a mapped graph: what they hold, and trainings that fetch the rows of others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.distributed import ALONE, LostProcess, Ranks
from homogcl.core.errors import UserError
from homogcl.data.load import load
from homogcl.data.mapped import INDEX, open_mapped, write_mapped
from homogcl.data.mapped_share import connected, write_share
from homogcl.data.shared_rows import Share, SharedRows
from homogcl.methods.base import Sizes
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import build
from homogcl.nn.sparse import take_rows
from homogcl.training.loop import NotFinite, TrainConfig, fit
from tests.graphs import same
from tests.processes import run_ranks


@pytest.fixture
def whole(block_graph: Data, tmp_path: Path) -> Path:
    block_graph.ids = [f"n{number}" for number in range(60)]
    return write_mapped(block_graph, tmp_path / "whole")


def cut(whole: Path, count: int) -> list[Path]:
    """All shares of a graph."""
    shares = [Share(number=number + 1, count=count) for number in range(count)]
    folders = [whole.parent / f"share-{share.number}" for share in shares]
    for folder, share in zip(folders, shares, strict=True):
        write_share(whole, folder, share)
    return folders


def test_a_share_has_its_features_and_all_the_rest(whole: Path) -> None:
    graph = open_mapped(whole)
    for number, folder in enumerate(cut(whole, 3)):
        opened = open_mapped(folder)
        assert isinstance(opened.x, SharedRows)
        assert opened.x.shape == graph.x.shape
        assert opened.sha256 == graph.sha256
        assert opened.ids == graph.ids
        for key in ("edge_index", "crow", "y"):
            assert torch.equal(opened[key], graph[key])
        rows = np.load(folder / "x.npy")
        np.testing.assert_array_equal(rows, graph.x[20 * number : 20 * (number + 1)])
        assert torch.equal(opened.x.own(torch.tensor([19, 0])), torch.from_numpy(rows[[19, 0]]))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_rows_of_all_nodes_come_in_their_order(
    whole: Path, order: tuple[int, ...], tmp_path: Path
) -> None:
    folders, x = cut(whole, 3), open_mapped(whole).x.clone()

    def work(ranks: Ranks) -> bool:
        rng = torch.Generator().manual_seed(ranks.rank)
        with connected(open_mapped(folders[order[ranks.rank]]), ranks) as graph:
            for count in (60, 7, 0, 1):
                nodes = torch.randperm(60, generator=rng)[:count]
                assert torch.equal(take_rows(graph.x, nodes), x[nodes])
            if ranks.is_first:  # the others serve it
                assert torch.equal(take_rows(graph.x, torch.arange(60)), x)
        return True

    assert run_ranks(3, work, tmp_path) == [True] * 3


@pytest.mark.parametrize("kind", ["parts", "neighbors"])
@pytest.mark.parametrize("name", ["grace+homogcl", "bgrl"])
def test_a_training_on_shares_has_the_bits_of_one_on_copies(
    whole: Path, name: str, kind: str, tmp_path: Path
) -> None:
    folders = cut(whole, 2)
    config = TrainConfig.model_validate(
        {"epochs": 4, "batch": kind, "batch_size": 10, "fanout": [3], "settle": 0.001}
    )

    def train(ranks: Ranks, *, is_cut: bool) -> tuple[dict[str, Tensor], list[float], Tensor]:
        graph = open_mapped(folders[ranks.rank] if is_cut else whole)
        losses: list[float] = []
        settings = {"hidden_dim": 8, "out_dim": 4, "norm": "batch"}
        with connected(graph, ranks) as shared:
            assert isinstance(shared.x, SharedRows) == is_cut
            method = build(name, settings, Sizes.of(shared), seed=0)
            fit(
                method,
                shared,
                config,
                seed=1,
                ranks=ranks,
                on_epoch=lambda epoch: losses.append(epoch.loss),
            )
            z = embeddings(method, shared, block=7) if ranks.is_first else torch.empty(0)
        return dict(method.state_dict()), losses, z.clone()

    copies = run_ranks(2, lambda ranks: train(ranks, is_cut=False), tmp_path)
    shares = run_ranks(2, lambda ranks: train(ranks, is_cut=True), tmp_path)
    for (state, losses, z), (ours, our_losses, our_z) in zip(copies, shares, strict=True):
        assert same(state, ours)
        assert losses == our_losses
        assert torch.equal(z, our_z)


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ((0, 0), "the processes have 1/2, 1/2 of the graph"),
        ((1, None), "the processes have 2/2, whole of the graph"),
        ((None, 1), "the processes have whole, 2/2 of the graph"),
        ((0, 1, 0), "the processes have 1/2, 2/2, 1/2 of the graph"),
    ],
)
def test_processes_without_a_share_each_are_refused(
    whole: Path, held: tuple[int | None, ...], says: str, tmp_path: Path
) -> None:
    folders = cut(whole, 2)

    def work(ranks: Ranks) -> None:
        number = held[ranks.rank]
        with connected(open_mapped(whole if number is None else folders[number]), ranks):
            pass

    for error in run_ranks(len(held), work, tmp_path):
        assert isinstance(error, UserError)
        assert says in str(error)


def test_one_process_has_no_use_for_a_share(whole: Path) -> None:
    folder = cut(whole, 2)[0]
    with pytest.raises(UserError, match="share-1 is share 1/2 of a graph: train with 2 processes"):
        load(folder)
    with (
        pytest.raises(UserError, match="the processes have 1/2"),
        connected(open_mapped(folder), ALONE),
    ):
        pass
    with connected(open_mapped(whole), ALONE) as graph:
        assert not isinstance(graph.x, SharedRows)


def test_steps_on_the_whole_graph_are_refused(whole: Path) -> None:
    graph = open_mapped(cut(whole, 2)[0])
    method = build("grace", {}, Sizes.of(graph), seed=0)
    with pytest.raises(UserError, match="shares of a graph are trained by batches"):
        fit(method, graph, TrainConfig(epochs=1), seed=0)


def test_a_training_that_is_not_connected_is_refused(whole: Path) -> None:
    graph = open_mapped(cut(whole, 2)[0])
    method = build("grace", {}, Sizes.of(graph), seed=0)
    with pytest.raises(UserError, match="here is a share of the features"):
        fit(method, graph, TrainConfig(epochs=1, batch="parts", batch_size=10), seed=0)


def sparse(folder: Path, graph: Data) -> Path:
    graph.x = graph.x.relu().to_sparse_csr()
    return write_mapped(graph, folder / "sparse")


@pytest.mark.parametrize(
    ("place", "count", "says"),
    [
        (lambda whole, _: whole.parent / "nowhere", 2, "holds no mapped graph"),
        (lambda whole, _: cut(whole, 2)[1], 2, "is share 2/2 of a graph; cut the whole one"),
        (lambda whole, graph: sparse(whole.parent, graph), 2, "sparse features are not cut"),
        (lambda whole, _: whole, 61, "61 shares are more than its 60 nodes"),
    ],
)
def test_what_cannot_be_cut_is_refused(
    place: Callable[[Path, Data], Path], count: int, says: str, whole: Path, block_graph: Data
) -> None:
    folder = whole.parent / "new"
    with pytest.raises(UserError, match=says):
        write_share(place(whole, block_graph), folder, Share(number=1, count=count))
    assert not folder.exists()


def test_a_share_appears_whole_or_not_at_all(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, share = whole.parent / "new", Share(number=1, count=2)

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("homogcl.data.mapped_share.write_json", fail)
        with pytest.raises(KeyboardInterrupt):
            write_share(whole, folder, share)
    with pytest.raises(UserError, match=f"{INDEX} is missing"):
        open_mapped(folder)
    write_share(whole, folder, share)
    with pytest.raises(UserError, match="holds a graph already"):
        write_share(whole, folder, share)
    index = json.loads((folder / INDEX).read_text())
    (folder / INDEX).write_text(json.dumps({**index, "share": {"number": 2, "count": 3}}))
    with pytest.raises(UserError, match=r"has the shape \(30, 16\), not \(20, 16\)"):
        open_mapped(folder)


def test_a_step_that_stops_one_process_ends_all(
    block_graph: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block_graph.x[0] = torch.nan  # in one batch of an epoch
    folders = cut(write_mapped(block_graph, tmp_path / "whole"), 2)
    config = TrainConfig(epochs=2, batch="parts", batch_size=5)
    monkeypatch.setenv("HOMOGCL_TIMEOUT", "20")

    def train(ranks: Ranks) -> None:
        with connected(open_mapped(folders[ranks.rank]), ranks) as graph:
            method = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(graph), seed=0)
            fit(method, graph, config, seed=0, ranks=ranks)

    ends = run_ranks(2, train, tmp_path)
    assert {type(end) for end in ends} <= {NotFinite, LostProcess}
    assert NotFinite in {type(end) for end in ends}


def test_a_process_that_falls_silent_ends_the_others(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = cut(whole, 2)
    config = TrainConfig(epochs=3, batch="parts", batch_size=5)
    monkeypatch.setenv("HOMOGCL_TIMEOUT", "2")

    def train(ranks: Ranks) -> None:
        with connected(open_mapped(folders[ranks.rank]), ranks) as graph:
            method = build("grace", {"hidden_dim": 8, "out_dim": 4}, Sizes.of(graph), seed=0)
            # The other one has begun with the next epoch, and fetches its batches.
            fit(method, graph, config, seed=0, ranks=ranks, on_epoch=lambda _: time.sleep(6))

    _, other = run_ranks(2, train, tmp_path, seconds=2)
    assert isinstance(other, LostProcess)
