"""`check_method` accepts what keeps the contract and names what does not."""

import importlib
import random
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from docs.template.masked import Masked
from homogcl.core.config import Config
from homogcl.homophily.positives import Positives
from homogcl.methods import names
from homogcl.methods.registry import Method, Sizes, method_names
from homogcl.testing import CHECKS, ContractBroken, candidate, check_method, checks_of


class Linear(Method):
    """One linear map that is pulled to the mean of its noisy copy."""

    name = "Linear"

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(sizes.features, 4))

    def views(self, graph: Data, rng: torch.Generator) -> tuple[Data, Tensor]:
        return graph, 0.1 * torch.randn(4, generator=rng)

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        graph, noise = views
        return {"distance": (self.embed(graph) - noise).square().mean()}

    def embed(self, graph: Data) -> Tensor:
        z: Tensor = graph.x @ self.weight
        return z


class ChangesTheGraph(Linear):
    """It scales the features in place."""

    def embed(self, graph: Data) -> Tensor:
        graph.x.mul_(0.5)
        return super().embed(graph)


class DrawsInEmbed(Linear):
    """Its embeddings are noisy."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) + torch.randn(4)


class LeavesAParameter(Linear):
    """One of its parameters is never used."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.unused = nn.Parameter(torch.ones(3))


class Climbs(Linear):
    """It maximizes what it should minimize."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        distance = super().objective(views)["distance"]
        return {"distance": 2 * distance.detach() - distance}


class CountsNodes(Linear):
    """A node's number is part of its embedding."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) + torch.arange(graph.num_nodes)[:, None]


class Forgets(Linear):
    """Something that it learned is not in its state."""

    scale = 1.0

    def after_step(self, progress: float) -> None:
        self.scale = 1.0 + progress

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) * self.scale


class Gambles(Linear):
    """It draws from a generator that nobody seeds."""

    def views(self, graph: Data, rng: torch.Generator) -> tuple[Data, Tensor]:
        return graph, random.SystemRandom().random() * torch.ones(4)


class Vector(Linear):
    """Its term is no scalar."""

    def objective(
        self, views: tuple[Data, Tensor], positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        return {"distance": super().objective(views)["distance"][None]}


class Dense(Linear):
    """It cannot read sparse features."""

    def embed(self, graph: Data) -> Tensor:
        z: Tensor = graph.x.view(-1, 16) @ self.weight
        return z


class MindsBlocks(Linear):
    """It embeds blocks of nodes differently."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph) + float("block" in graph)


class Undocumented(Linear):
    __doc__ = "no sentence"


class Detached(Masked):
    """It claims pair positives, but no gradient flows through its embeddings."""

    def embed(self, graph: Data) -> Tensor:
        return super().embed(graph).detach()


def test_a_good_method_passes_every_check() -> None:
    passed = check_method(Linear)
    # It has no pair positives to be clustered for, and takes batches.
    assert len(passed) == len(CHECKS) - 2


@pytest.mark.parametrize(
    ("method", "check"),
    [
        (ChangesTheGraph, "graph_is_left_as_it_was"),
        (DrawsInEmbed, "nothing_in_them_is_random"),
        (LeavesAParameter, "gradients_reach_what_is_trained: no gradient reaches unused"),
        (Climbs, "loss_falls"),
        (Climbs, "loss_falls_on_batches_too"),
        (MindsBlocks, "embeddings_in_blocks_are_those_of_the_whole_graph"),
        (CountsNodes, "renumbering_the_nodes"),
        (Forgets, "state_goes_through_a_file"),
        (Gambles, "same_seed_gives_the_same_bits"),
        (Vector, "gradients_reach_what_is_trained: the term 'distance' is no scalar"),
        (Dense, "sparse_features_do_what_dense_ones_do"),
        (Undocumented, "declares_what_it_is"),
        (Detached, "embeddings_are_differentiable"),
    ],
)
def test_a_broken_promise_is_named(method: type[Method], check: str) -> None:
    with pytest.raises(ContractBroken) as broken:
        check_method(method)
    assert check in str(broken.value)
    assert all(line.startswith(method.__name__) for line in str(broken.value).splitlines())


def test_each_check_is_broken_by_some_method_above_or_by_the_trainer() -> None:
    each = candidate(Linear)
    others = {
        "embeddings_are_differentiable",
        "batches_are_refused_where_a_step_needs_the_whole_graph",
    }
    assert {name for name, _ in checks_of(each)} | others == {check.__name__ for check in CHECKS}


def test_a_method_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pip would install it: a module, and metadata that name it."""
    package = tmp_path / "masked_method-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: masked-method\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[homogcl.methods]\nmasked = masked:Masked\n")
    template = Path(__file__).parents[2] / "docs" / "template" / "masked.py"
    (tmp_path / "masked.py").write_text(template.read_text("utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    names.third_party.cache_clear()
    try:
        assert "masked" in method_names()
        passed = check_method("masked")
    finally:
        names.third_party.cache_clear()
    for name in ("masked", "masked+homogcl", "masked+hard"):
        assert f"{name}: loss_falls" in passed
