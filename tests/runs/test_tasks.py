"""Tasks: what they need of a graph, and that held-out edges leave no trace."""

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.features import normalize
from homogcl.data.structural import structural_features
from homogcl.runs.tasks import (
    DEFAULT_TASKS,
    MILESTONE_TASKS,
    NEED_LABELS,
    TASKS,
    check_labels,
    tasks_at_milestones,
    with_edges_held_out,
)


def test_names_are_tasks() -> None:
    assert {*DEFAULT_TASKS, *NEED_LABELS, *MILESTONE_TASKS} <= set(TASKS)
    assert DEFAULT_TASKS == ("probe", "cluster")


def test_milestones_score_the_cheap_tasks() -> None:
    assert tasks_at_milestones(("cluster", "probe")) == ("probe",)
    assert tasks_at_milestones(("similarity", "links")) == ("similarity",)
    assert tasks_at_milestones(("cluster",)) == ("probe",)


@pytest.mark.parametrize("task", NEED_LABELS)
def test_labels_are_needed_where_they_are_compared_with(task: str, block_graph: Data) -> None:
    check_labels(block_graph, [task])
    with pytest.raises(UserError, match=f"no labels, and the task {task}"):
        check_labels(Data(x=block_graph.x), ["links", task])
    block_graph.y[:] = -1
    with pytest.raises(UserError, match="no labels"):
        check_labels(block_graph, [task])
    check_labels(Data(x=block_graph.x), ["links"])


def test_held_out_edges_are_gone_from_edges_weights_and_features(block_graph: Data) -> None:
    block_graph.edge_weight = torch.arange(1.0, block_graph.edge_index.size(1) + 1)
    seen, links = with_edges_held_out(block_graph, "row", 0)
    held = {tuple(pair) for pair in links.edges.t().tolist()}
    left = {tuple(sorted(pair)) for pair in seen.edge_index.t().tolist()}
    assert held
    assert not held & left
    assert torch.equal(seen.edge_weight, block_graph.edge_weight[links.kept])
    assert torch.equal(seen.x, block_graph.x)

    block_graph.structural = True
    again, _ = with_edges_held_out(block_graph, "row", 0)
    made = structural_features(
        seen.edge_index, 60, block_graph.num_features, seed=0, edge_weight=seen.edge_weight
    )
    torch.testing.assert_close(again.x, normalize(made, "row"))
    other, _ = with_edges_held_out(block_graph, "row", 1)
    assert not torch.equal(other.edge_index, again.edge_index)
