"""Of a graph on disk a page shows a part, which is a graph of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.load import citation_graph
from homogcl.data.mapped import is_on_disk, open_mapped, write_mapped
from homogcl.pages.disk_sample import part_note, shown_part


@pytest.fixture
def graph() -> Data:
    graph = citation_graph(300, 3, 40, mean_degree=8.0)
    graph.ids = [f"n{i}" for i in range(300)]
    graph.class_names = ["a", "b", "c"]
    graph.edge_weight = torch.arange(graph.num_edges, dtype=torch.float32)
    return graph


def test_a_part_has_rows_and_edges_of_the_whole(graph: Data, tmp_path: Path) -> None:
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    part = shown_part(opened, 60, seed=0)
    assert part is not None
    small, numbers = part
    nodes = torch.from_numpy(numbers)
    assert 10 < len(nodes) <= 60
    assert not is_on_disk(small)
    assert small.num_nodes == len(nodes)
    assert small.ids == [f"n{i}" for i in numbers]
    assert small.class_names == ["a", "b", "c"]
    assert torch.equal(small.y, graph.y[nodes])
    assert torch.equal(small.x.to_dense(), graph.x.to_dense()[nodes])
    inside = torch.isin(graph.edge_index, nodes).all(dim=0)
    assert torch.equal(nodes[small.edge_index], graph.edge_index[:, inside])
    assert torch.equal(small.edge_weight, graph.edge_weight[inside])
    # Drawn nodes without their neighbors would keep a twenty-fifth of the edges.
    assert small.num_edges > 2 * graph.num_edges * (len(nodes) / 300) ** 2


def test_what_fits_is_shown_whole(graph: Data, tmp_path: Path) -> None:
    assert shown_part(graph, 60, seed=0) is None
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    assert shown_part(opened, 300, seed=0) is None


@pytest.mark.parametrize("most", [1, 3, 7])
def test_there_are_never_more_than_asked_for(most: int, graph: Data, tmp_path: Path) -> None:
    opened = open_mapped(write_mapped(graph, tmp_path / "graph"))
    part = shown_part(opened, most, seed=1)
    assert part is not None
    assert 1 <= len(part[1]) <= most


def test_the_note_says_whose_scores_they_are() -> None:
    note = part_note(60, 3000, 12_000)
    assert "3,000 nodes and 12,000 edges" in note
    assert "60 nodes" in note
    assert "those of this part" in note
