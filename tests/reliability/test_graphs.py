"""Graphs at the edge of sense: every method works on them or says in one line why it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from homogcl.core.errors import UserError
from homogcl.presets.resolve import resolve
from homogcl.runs.embedder import Embedder
from tests.contract.test_methods import BASES, PLUGGED
from tests.reliability.conftest import Count


def graph(nodes: int, pairs: list[tuple[int, int]], x: torch.Tensor | None = None) -> Data:
    """A graph with edges both ways, features, labels and masks, whatever its size."""
    edges = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t()
    edge_index = coalesce(torch.cat([edges, edges.flip(0)], dim=1), num_nodes=nodes)
    if x is None:
        x = torch.rand(nodes, 6, generator=torch.Generator().manual_seed(0))
    y = torch.arange(nodes) % 3
    all_nodes = torch.ones(nodes, dtype=torch.bool)
    masks = {f"{part}_mask": all_nodes for part in ("train", "val", "test")}
    return Data(x=x, edge_index=edge_index, y=y, **masks)


ALL = [*BASES, *PLUGGED]
RING = [(i, (i + 1) % 24) for i in range(24)] + [(i, (i + 5) % 24) for i in range(24)]

GRAPHS: dict[str, Callable[[], Data]] = {
    "one node": lambda: graph(1, []),
    "no edges": lambda: graph(24, []),
    "two nodes": lambda: graph(2, [(0, 1)]),
    "isolated nodes": lambda: graph(28, RING),
    "fewer nodes than clusters": lambda: graph(5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    "all features equal": lambda: graph(24, RING, torch.ones(24, 6)),
    "all features zero": lambda: graph(24, RING, torch.zeros(24, 6)),
}


def embedder(name: str, **settings: object) -> Embedder:
    """The method with its defaults, narrow and short."""
    preset = resolve(name, "my-graph").method
    small: dict[str, object] = {
        key: 8 for key, value in preset.items() if key.endswith("_dim") and value
    }
    chosen: dict[str, Any] = {**small, "epochs": 3, "warmup_epochs": 0, **settings}
    return Embedder(name, **chosen)


def outcome(name: str, data: Data, **settings: object) -> str:
    """Return "worked" or "refused"; all but vectors or a `UserError` of one line fails."""
    said = ""
    try:
        z = embedder(name, **settings).fit_transform(data)
    except UserError as error:
        said = str(error)
    if said:
        assert len(said.splitlines()) == 1
        assert len(said) < 300
        return "refused"
    assert z.shape[0] == data.num_nodes
    assert torch.from_numpy(z).isfinite().all()
    return "worked"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", GRAPHS)
def test_it_works_or_says_why_not(case: str, name: str, count: Count) -> None:
    count(case, tried=1, **{outcome(name, GRAPHS[case]()): 1})


TEMPERED = [name for name in ALL if "temperature" in resolve(name, "my-graph").method]


@pytest.mark.parametrize("name", TEMPERED)
@pytest.mark.parametrize("temperature", [0.001, 1000])
def test_extreme_temperatures(name: str, temperature: float, count: Count) -> None:
    said = outcome(name, graph(24, RING), temperature=temperature)
    count(f"temperature {temperature}", tried=1, **{said: 1})


def untidy(case: str, data: Data) -> Data:
    """The same graph as somebody might hand it over."""
    other = data.clone()
    edges = data.edge_index
    if case == "duplicate edges":
        other.edge_index = torch.cat([edges, edges[:, ::3], edges[:, :5]], dim=1)
    elif case == "self-loops":
        loops = torch.arange(0, 24, 2).repeat(2, 1)
        other.edge_index = torch.cat([loops, edges], dim=1)
    else:
        other.edge_index = edges[:, edges[0] < edges[1]]
    return other


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", ["duplicate edges", "self-loops", "directed edges"])
def test_untidy_edges_give_the_vectors_of_tidy_ones(case: str, name: str, count: Count) -> None:
    data = graph(24, RING)
    tidy = embedder(name).fit_transform(data)
    assert (embedder(name).fit_transform(untidy(case, data)) == tidy).all()
    count(case, tried=1, worked=1)
