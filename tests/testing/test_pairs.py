"""The check of a pair names a plug-in that changes what its base draws or compares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.base import HomoViews
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Positives
from homogcl.testing.candidate import Candidate, candidate
from homogcl.testing.contract import ContractBroken
from homogcl.testing.graphs import block_graph
from homogcl.testing.pairs import leaves, plugin_leaves_the_views_of_its_base


class DrawsBefore(HomoGCL):
    """It draws from the generator before its base does."""

    def views(self, graph: Data, rng: torch.Generator) -> HomoViews:
        torch.rand(1, generator=rng)
        return super().views(graph, rng)


class DrawsAfter(HomoGCL):
    """It draws from the generator after its base did, so that the next step differs."""

    def views(self, graph: Data, rng: torch.Generator) -> HomoViews:
        views = super().views(graph, rng)
        torch.rand(1, generator=rng)
        return views


class ChangesNegatives(HomoGCL):
    """It hands its base another draw of negatives."""

    def objective(
        self, views: HomoViews, positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        other = replace(views.base, draw=views.base.draw.flip(0))
        return super().objective(replace(views, base=other))


class SwapsViews(HomoGCL):
    """It hands its base the two views in the other order."""

    def objective(
        self, views: HomoViews, positives: Positives = Positives.none()
    ) -> dict[str, Tensor]:
        other = replace(views.base, first=views.base.second, second=views.base.first)
        return super().objective(replace(views, base=other))


def on_grace(wrap: type[HomoGCL]) -> Candidate:
    """GRACE with a sample of negatives under a plug-in."""
    grace = candidate("grace")

    def make(sizes: Any, seed: int) -> HomoGCL:
        base: Any = grace.make(sizes, seed)
        sampled = base.config.model_copy(update={"negatives": "sampled", "num_negatives": 9})
        return wrap(type(base)(sampled, sizes))

    return replace(grace, name=f"grace+{wrap.__name__}", make=make)


@pytest.mark.parametrize(
    ("wrap", "problem"),
    [
        (DrawsBefore, "it draws from the generator of its base in step 1"),
        (DrawsAfter, "it draws from the generator of its base in step 1"),
        (ChangesNegatives, "its base received other views than its own in step 1"),
        (SwapsViews, "its base received other views than its own in step 1"),
    ],
)
def test_plugin_that_changes_its_base_is_named(wrap: type[HomoGCL], problem: str) -> None:
    with pytest.raises(ContractBroken, match=problem):
        plugin_leaves_the_views_of_its_base(on_grace(wrap), block_graph())


def test_plugin_that_leaves_its_base_passes() -> None:
    plugin_leaves_the_views_of_its_base(on_grace(HomoGCL), block_graph())


def test_leaves_are_all_values_whatever_holds_them() -> None:
    class Plain:
        def __init__(self) -> None:
            self.count = 3

    graph = Data(x=torch.eye(2).to_sparse_csr(), name="a")
    values = list(leaves((graph, [Plain()], {"b": None})))
    assert [each for each in values if not isinstance(each, Tensor)] == [
        *("name", "a", "x"),
        *("count", 3),
        *("b", None),
    ]
    [x] = [each for each in values if isinstance(each, Tensor)]
    assert torch.equal(x, torch.eye(2))
