from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from homogcl.core.distributed import (
    ALONE,
    LostProcess,
    Ranks,
    Sharing,
    average_gradients,
    joined,
    ranks_of,
    was_restarted,
)
from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.clusters import centroids
from homogcl.homophily.positives import Positives
from homogcl.losses import info_nce
from homogcl.losses.contrast.negatives import AllPairs
from homogcl.methods.base import Method, Sizes, total
from homogcl.methods.registry import build
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit
from tests.graphs import same
from tests.processes import run_ranks


def vectors(nodes: int, seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(nodes, 6, generator=rng, dtype=torch.double)


def pairs_among(count: int, nodes: int, seed: int) -> Positives:
    """Random weighted pairs of the first `count` nodes, in both directions."""
    rng = torch.Generator().manual_seed(seed)
    half = torch.randint(count, (2, 4 * count), generator=rng)
    half = half[:, half[0] != half[1]]
    edges = coalesce(torch.cat([half, half.flip(0)], dim=1), num_nodes=nodes)
    weight = torch.rand(nodes, nodes, generator=rng, dtype=torch.double)
    present = torch.rand(edges.size(1), generator=rng) < 0.7
    return Positives(edges, (weight + weight.t())[*edges] / 2, present)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    ("nodes", "linked", "temperature"),
    [
        (23, 23, 0.5),  # parts of unequal size
        (23, 4, 0.5),  # all edges in the first tile: the other processes have none
        (23, 23, 0.002),  # so low that each row is shifted by its own maximum
        (5, 3, 0.5),  # three tiles in all
    ],
)
def test_loss_and_gradient_are_those_of_one_process(
    size: int, nodes: int, linked: int, temperature: float, tmp_path: Path
) -> None:
    def loss_and_gradients(ranks: Ranks) -> tuple[Tensor, ...]:
        u, v = (vectors(nodes, seed).requires_grad_() for seed in (0, 1))
        positives = (pairs_among(linked, nodes, 2), pairs_among(linked, nodes, 2))
        loss = info_nce(u, v, temperature, positives, AllPairs(ranks=ranks, tile=7))
        grads = torch.autograd.grad(loss, (u, v))
        return (loss.detach(), *grads)

    alone = loss_and_gradients(ALONE)
    for result in run_ranks(size, loss_and_gradients, tmp_path):
        for ours, theirs in zip(result, alone, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


def double(graph: Data) -> Data:
    graph = graph.clone()
    graph.x = graph.x.double()
    return graph


def new(graph: Data, name: str = "grace+homogcl") -> Method:
    settings = {"hidden_dim": 8, "out_dim": 4, "norm": "batch"}
    if name.startswith("grace"):
        settings["projector_dim"] = 4
    if name.endswith("homogcl"):
        settings["num_clusters"] = 4
    return build(name, settings, Sizes.of(graph), seed=0).double()


@pytest.mark.parametrize("size", [2, 3])
def test_training_ends_where_that_of_one_process_ends(
    size: int, block_graph: Data, tmp_path: Path
) -> None:
    graph, config = double(block_graph), TrainConfig(epochs=4, learning_rate=0.01)

    def train(ranks: Ranks) -> dict[str, Tensor]:
        return dict(fit(new(graph), graph, config, seed=1, ranks=ranks).state_dict())

    alone = train(ALONE)
    first, *others = run_ranks(size, train, tmp_path)
    torch.testing.assert_close(first, alone, rtol=1e-8, atol=1e-8)
    assert all(same(first, other) for other in others)


BATCHED = TrainConfig(epochs=4, learning_rate=0.01, batch="parts", batch_size=10)


class Watched(Exception):
    """The training was cut off."""


@pytest.mark.parametrize("name", ["grace+homogcl", "bgrl+homogcl"])
def test_processes_with_batches_of_their_own_agree_and_resume_to_the_same_bits(
    name: str, block_graph: Data, tmp_path: Path
) -> None:
    graph = double(block_graph)

    def train(ranks: Ranks, checkpoints: Checkpoints | None = None, until: int = 99) -> Method:
        def watch(epoch: Epoch) -> None:
            if epoch.number == until:
                raise Watched

        method = new(graph, name)
        return fit(
            method,
            graph,
            BATCHED,
            seed=1,
            ranks=ranks,
            checkpoints=checkpoints,
            on_epoch=watch,
        )

    def parameters(ranks: Ranks) -> dict[str, Tensor]:
        return {key: value.detach() for key, value in train(ranks).named_parameters()}

    def state(ranks: Ranks) -> dict[str, Tensor]:
        return dict(train(ranks).state_dict())

    checkpoints = Checkpoints(tmp_path / "kept", every=2)

    def cut_off(ranks: Ranks) -> None:
        train(ranks, checkpoints, until=3)

    def resumed(ranks: Ranks) -> dict[str, Tensor]:
        return dict(train(ranks, checkpoints).state_dict())

    assert same(*run_ranks(2, parameters, tmp_path))
    whole, _ = run_ranks(2, state, tmp_path)
    assert isinstance(run_ranks(2, cut_off, tmp_path)[0], Watched)
    again, _ = run_ranks(2, resumed, tmp_path)
    assert same(whole, again)


def test_gradient_of_unequal_batches_is_the_mean_of_theirs(
    block_graph: Data, tmp_path: Path
) -> None:
    graph = double(block_graph)
    # The second batch is smaller and has no edge, hence no positive.
    parts = [graph.subgraph(torch.arange(25)), graph.subgraph(torch.arange(25, 40))]
    parts[1].edge_index = torch.empty(2, 0, dtype=torch.long)

    def gradients(part: Data, method: Method) -> list[nn.Parameter]:
        terms = method.objective(method.views(part, stream(0, "augment")))
        torch.autograd.backward(total(terms, method.term_weights()))
        return [p for p in method.parameters() if p.requires_grad]

    def averaged(ranks: Ranks) -> list[Tensor | None]:
        parameters = gradients(parts[ranks.rank], new(graph, "grace"))
        average_gradients(parameters, ranks)
        return [p.grad for p in parameters]

    apart = [gradients(part, new(graph, "grace")) for part in parts]
    for result in run_ranks(2, averaged, tmp_path):
        for ours, one, other in zip(result, *apart, strict=True):
            assert one.grad is not None
            assert other.grad is not None
            torch.testing.assert_close(ours, (one.grad + other.grad) / 2, rtol=1e-10, atol=1e-12)


def test_missing_gradient_counts_as_zero(tmp_path: Path) -> None:
    def averaged(ranks: Ranks) -> Tensor | None:
        parameter = nn.Parameter(torch.zeros(2))
        if ranks.rank == 1:
            parameter.grad = torch.tensor([1.0, 3.0])
        average_gradients([parameter], ranks)
        return parameter.grad

    for gradient in run_ranks(2, averaged, tmp_path):
        assert gradient.tolist() == [0.5, 1.5]


@pytest.mark.parametrize("iterations", [1, 30])
def test_clusters_are_those_of_all_nodes_together(iterations: int, tmp_path: Path) -> None:
    h = vectors(50, 3)
    start = h[:5]
    whole = centroids(h, 5, stream(0, "cluster"), start, iterations)
    parts = torch.split(h, [31, 12, 7])

    def together(ranks: Ranks) -> Tensor:
        mine = start if ranks.is_first else torch.zeros_like(start)
        rng = stream(ranks.rank, "cluster")
        return centroids(parts[ranks.rank], 5, rng, mine, iterations, ranks)

    for c in run_ranks(3, together, tmp_path):
        torch.testing.assert_close(c, whole, rtol=1e-10, atol=1e-12)


def test_killed_process_ends_the_others_and_resuming_gives_the_same_bits(
    block_graph: Data, tmp_path: Path
) -> None:
    config = TrainConfig(epochs=6, learning_rate=0.01)
    checkpoints = Checkpoints(tmp_path / "kept", every=2)

    class Mortal(type(new(block_graph, "grace"))):  # type: ignore[misc]
        """Kills its process in the fourth step."""

        def after_step(self, progress: float) -> None:
            if progress > 0.6:
                os.kill(os.getpid(), signal.SIGKILL)

    def train(
        ranks: Ranks, checkpoints: Checkpoints | None, *, mortal: bool = False
    ) -> dict[str, Tensor]:
        method = new(block_graph, "grace").float()
        if mortal:
            method.__class__ = Mortal
        fit(method, block_graph, config, seed=0, ranks=ranks, checkpoints=checkpoints)
        return dict(method.state_dict())

    whole, _ = run_ranks(2, lambda ranks: train(ranks, None), tmp_path)
    survivor, dead = run_ranks(
        2, lambda ranks: train(ranks, checkpoints, mortal=ranks.rank == 1), tmp_path
    )
    assert isinstance(survivor, LostProcess)
    assert dead is None
    again, _ = run_ranks(2, lambda ranks: train(ranks, checkpoints), tmp_path)
    assert same(whole, again)


def test_process_that_does_not_answer_ends_the_wait_of_the_others(tmp_path: Path) -> None:
    def work(ranks: Ranks) -> None:
        if ranks.is_first:
            ranks.sum(torch.ones(1))
        else:
            time.sleep(2)

    first, _ = run_ranks(2, work, tmp_path, seconds=0.5)
    assert isinstance(first, LostProcess)


def test_first_process_goes_before_the_others(tmp_path: Path) -> None:
    done = tmp_path / "done"

    def work(ranks: Ranks) -> bool:
        with ranks.first_before_others():
            if ranks.is_first:
                time.sleep(0.2)
                done.touch()
            return done.exists()

    assert run_ranks(3, work, tmp_path) == [True, True, True]


def test_values_are_gathered_and_those_of_the_first_are_given(tmp_path: Path) -> None:
    def work(ranks: Ranks) -> tuple[list[int], int, bool, float]:
        highest = ranks.maximum(torch.tensor([float(ranks.rank)]))
        all_first = ranks.all(ranks.is_first)
        return ranks.gather(ranks.rank), ranks.first(ranks.rank + 7), all_first, float(highest)

    assert run_ranks(3, work, tmp_path) == [([0, 1, 2], 7, False, 2.0)] * 3
    assert work(ALONE) == ([0], 7, True, 0.0)


def test_ranks_of_a_training_are_those_that_share_something() -> None:
    ranks = Ranks(1, 2)
    assert Sharing().ranks == ALONE
    assert Sharing(pairs=ranks).ranks == Sharing(nodes=ranks).ranks == ranks


@pytest.mark.parametrize("config", [TrainConfig(epochs=1), BATCHED])
def test_plug_in_and_base_share_within_a_training_and_not_afterwards(
    config: TrainConfig, block_graph: Data, tmp_path: Path
) -> None:
    graph = double(block_graph)

    def train(ranks: Ranks) -> tuple[set[Sharing], set[Sharing]]:
        method = new(graph)
        within: set[Sharing] = set()

        def look(epoch: Epoch) -> None:
            within.update(sharings(method))

        fit(method, graph, config, seed=0, ranks=ranks, on_epoch=look)
        return within, sharings(method)

    def sharings(method: Method) -> set[Sharing]:
        return {each.sharing for each in method.modules() if isinstance(each, Method)}

    (within, after), _ = run_ranks(2, train, tmp_path)
    ranks = Ranks(0, 2)
    batches = Sharing(nodes=ranks, whole=graph.num_nodes or 0)
    assert within == {Sharing(pairs=ranks) if config.batch == "full" else batches}
    assert after == {Sharing()}


def test_what_is_shared_is_no_part_of_a_methods_state(block_graph: Data) -> None:
    method = new(block_graph)
    before = list(method.state_dict())
    method.share(Sharing(pairs=Ranks(1, 2)))
    assert list(method.state_dict()) == before


def test_ranks_are_those_of_the_launcher() -> None:
    assert ranks_of({}) == ALONE
    assert ranks_of({"WORLD_SIZE": "1"}) == ALONE
    launched = {"WORLD_SIZE": "3", "RANK": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
    assert ranks_of(launched) == Ranks(2, 3)
    assert not was_restarted({})
    assert was_restarted({"TORCHELASTIC_RESTART_COUNT": "1"})


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({"WORLD_SIZE": "2"}, "RANK, MASTER_ADDR, MASTER_PORT"),
        ({"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "localhost"}, "but MASTER_PORT is not"),
        (
            {"WORLD_SIZE": "2", "RANK": "2", "MASTER_ADDR": "a", "MASTER_PORT": "1"},
            "RANK=2 is no number from 0",
        ),
        (
            {"WORLD_SIZE": "two", "RANK": "0", "MASTER_ADDR": "a", "MASTER_PORT": "1"},
            "RANK=0 is no number from 0",
        ),
    ],
)
def test_half_a_launcher_is_refused(environment: dict[str, str], names: str) -> None:
    with pytest.raises(UserError, match=names), joined(environment):
        pass


HOSTS = {
    **{"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"},
    **{"GROUP_WORLD_SIZE": "2", "TORCHELASTIC_MAX_RESTARTS": "3"},
}


def test_hosts_that_could_not_meet_after_a_restart_are_refused() -> None:
    shared = {**HOSTS, "TORCHELASTIC_USE_AGENT_STORE": "True"}
    says = "--max-restarts 3 on 2 hosts: set TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1"
    with pytest.raises(UserError, match=says), joined(shared):
        pass


@pytest.mark.parametrize(
    "changes",
    [
        {"TORCHELASTIC_USE_AGENT_STORE": "False"},
        {"TORCHELASTIC_USE_AGENT_STORE": "True", "GROUP_WORLD_SIZE": "1"},
        {"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_MAX_RESTARTS": "0"},
    ],
)
def test_hosts_that_meet_are_let_in(
    changes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def arrive(*_: object, **__: object) -> None:
        raise RuntimeError("they have arrived\nat the store")

    monkeypatch.setattr("torch.distributed.rendezvous", arrive)
    with (
        pytest.raises(LostProcess, match=r"lost: they have arrived$"),
        joined({**HOSTS, **changes}),
    ):
        pass
