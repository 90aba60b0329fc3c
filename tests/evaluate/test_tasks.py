"""Tasks as values: what each scores, what it asks for, and that naming them costs nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.held_out import hold_out
from homogcl.core.seeds import stream
from homogcl.evaluate.adam_probe import AdamProbeConfig, adam_probe
from homogcl.evaluate.cluster import cluster_scores, raw_rows, spectral_rows
from homogcl.evaluate.knn import knn_scores
from homogcl.evaluate.links import link_scores
from homogcl.evaluate.probe import linear_probe, predictions, probe_over_splits, refitted_probe
from homogcl.evaluate.saliency import saliency_scores
from homogcl.evaluate.tasks import (
    ARRAY_TASKS,
    CLUSTER,
    CLUSTER_RAW,
    CLUSTER_SPECTRAL,
    KNN,
    LINKS,
    PROBE,
    PROBE_ADAM,
    PROBE_REFIT,
    PROBE_SPLITS,
    SALIENCY,
    Task,
    TaskInputs,
)
from tests.imports import loaded_by


@pytest.fixture
def inputs(block_graph: Data) -> TaskInputs:
    """The features of a graph as its embedding, of which every sixth node has no label."""
    labels = block_graph.y.clone()
    labels[::6] = -1
    masks = (block_graph.train_mask, block_graph.val_mask, block_graph.test_mask)
    return TaskInputs(
        block_graph.x,
        block_graph.edge_index,
        3,
        labels=labels,
        masks=(masks[0] & (labels >= 0), masks[1] & (labels >= 0), masks[2] & (labels >= 0)),
        links=hold_out(block_graph.edge_index, 60, stream(0, "links")),
        saliency=lambda: torch.linspace(0, 1, block_graph.edge_index.size(1)),
    )


def test_each_task_scores_the_arrays_with_its_own_function(inputs: TaskInputs) -> None:
    z, y, masks, links = inputs.embedding, inputs.labels, inputs.masks, inputs.links
    assert y is not None
    assert masks is not None
    assert links is not None
    assert inputs.saliency is not None
    assert PROBE.score(inputs) == linear_probe(z, y, masks)
    assert PROBE_REFIT.score(inputs) == refitted_probe(z, y, masks)
    assert PROBE_SPLITS.score(inputs) == probe_over_splits(z, y, 3)
    by_adam = adam_probe(z, y, masks, AdamProbeConfig(), stream(3, "probe"))
    assert PROBE_ADAM.score(inputs) == by_adam
    labeled = y >= 0
    assert CLUSTER.score(inputs) == cluster_scores(z[labeled], y[labeled], 3)
    for task, reader, prefix in (
        (CLUSTER_RAW, raw_rows, "raw"),
        (CLUSTER_SPECTRAL, spectral_rows, "spectral"),
    ):
        expected = cluster_scores(z[labeled], y[labeled], 3, reader=reader)
        assert task.score(inputs) == {f"{prefix}_{name}": v for name, v in expected.items()}
    assert KNN.score(inputs) == knn_scores(z, y, masks)
    assert LINKS.score(inputs) == link_scores(z, links)
    assert SALIENCY.score(inputs) == saliency_scores(inputs.saliency(), inputs.edges, y)


@pytest.mark.parametrize("task", ARRAY_TASKS, ids=lambda task: task.name)
def test_the_metric_of_a_task_is_among_its_scores(task: Task, inputs: TaskInputs) -> None:
    assert task.metric in task.score(inputs)


def test_a_supervised_method_is_probed_by_its_own_logits(inputs: TaskInputs) -> None:
    assert inputs.labels is not None
    assert inputs.masks is not None
    logits = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    scored = PROBE.score(replace(inputs, logits=lambda: logits))
    assert scored == predictions(logits, inputs.labels, inputs.masks)


@pytest.mark.parametrize(
    ("task", "lacking", "says"),
    [
        (PROBE, {"labels": None}, "labels"),
        (CLUSTER, {"labels": None}, "labels"),
        (KNN, {"masks": None}, "a split into training"),
        (LINKS, {"links": None}, "edges that the training did not see"),
        (SALIENCY, {"saliency": None}, "the saliency of the edges"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_input_that_is_missing_is_named(
    task: Task, lacking: dict[str, None], says: str, inputs: TaskInputs
) -> None:
    with pytest.raises(UserError, match=says):
        task.score(replace(inputs, **lacking))  # type: ignore[arg-type]


def test_the_tasks_load_neither_torch_nor_scikit_learn() -> None:
    heavy = {"torch", "torch_geometric", "sklearn", "scipy", "numpy", "pydantic"}
    assert loaded_by("homogcl.evaluate.tasks", "homogcl.evaluate") & heavy == set()
