"""Tasks: what an embedding can be scored on, each as one value.

Importing this module loads neither torch nor scikit-learn, so that a command line can offer the
tasks at once; `score` imports what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from homogcl.core.errors import UserError

if TYPE_CHECKING:
    from homogcl.core.held_out import Links
    from homogcl.evaluate.arrays import Array


@dataclass(frozen=True)
class TaskInputs:
    """What tasks can look at; each task takes what it needs.

    Attributes:
        embedding: Vectors of the nodes, [N, d].
        edges: Edges in both directions, [2, E].
        seed: Root seed of what a task draws.
        labels: Classes [N], below 0 where a node has none; None without any.
        masks: The training, validation and test nodes, each [N].
        links: Edges that the training did not see, for tasks that retrain.
        logits: Returns the logits [N, C] of a method that learned from labels.
        saliency: Returns the saliency of each edge, [E].
        model: The trained method, for tasks that arrays are not enough for.
        graph: The graph that `model` takes.
    """

    embedding: Array
    edges: Array
    seed: int
    labels: Array | None = None
    masks: Masks | None = None
    links: Links | None = None
    logits: Callable[[], Array] | None = None
    saliency: Callable[[], Array] | None = None
    model: Any = None
    graph: Any = None


Metrics = dict[str, float]
Masks = tuple["Array", "Array", "Array"]


@dataclass(frozen=True)
class Task:
    """Something that an embedding can be scored on.

    Attributes:
        name: What the command line calls it.
        metric: The metric whose presence in a record shows that the task was scored.
        score: Returns the metrics by the names that records use.
        needs_labels: Whether it compares with labels.
        cheap: Whether it is scored at milestones, during the training.
        retrains: Whether it scores a new training, from which a tenth of the edges is held out.
        check: Refuses a method that the task cannot score, before it is trained.
        check_split: Refuses labels and masks that it cannot score, before a training.
    """

    name: str
    metric: str
    score: Callable[[TaskInputs], Metrics]
    needs_labels: bool = False
    cheap: bool = False
    retrains: bool = False
    check: Callable[[Any], None] | None = None
    check_split: Callable[[Array, Masks], None] | None = None


def _probe(inputs: TaskInputs) -> Metrics:
    """Score a linear probe, or the predictions of a method that learned from labels."""
    from homogcl.evaluate import probe

    y, split = _labels(inputs), _masks(inputs)
    if inputs.logits is not None:
        return probe.predictions(inputs.logits(), y, split)
    return probe.linear_probe(inputs.embedding, y, split)


def _refitted_probe(inputs: TaskInputs) -> Metrics:
    from homogcl.evaluate.probe import refitted_probe

    return refitted_probe(inputs.embedding, _labels(inputs), _masks(inputs))


def _check_refit(y: Array, masks: Masks) -> None:
    from homogcl.evaluate.probe import check_refit

    check_refit(y, masks)


def _probe_over_splits(inputs: TaskInputs) -> Metrics:
    from homogcl.evaluate.probe import probe_over_splits

    return probe_over_splits(inputs.embedding, _labels(inputs), inputs.seed)


def _adam_probe(inputs: TaskInputs) -> Metrics:
    from homogcl.core.seeds import stream
    from homogcl.evaluate.adam_probe import AdamProbeConfig, adam_probe

    y, split, rng = _labels(inputs), _masks(inputs), stream(inputs.seed, "probe")
    return adam_probe(inputs.embedding, y, split, AdamProbeConfig(), rng)


def _clusters(inputs: TaskInputs, reader: str, prefix: str = "") -> Metrics:
    """Score clusters of the labeled nodes, read by a function of `cluster`."""
    from homogcl.evaluate import cluster
    from homogcl.evaluate.arrays import as_tensor

    z, y = as_tensor(inputs.embedding), as_tensor(_labels(inputs))
    labeled = y >= 0
    read = getattr(cluster, reader)
    scores = cluster.cluster_scores(z[labeled], y[labeled], inputs.seed, reader=read)
    return {f"{prefix}{name}": value for name, value in scores.items()}


def _nearest(inputs: TaskInputs) -> Metrics:
    from homogcl.evaluate.knn import knn_scores

    return knn_scores(inputs.embedding, _labels(inputs), _masks(inputs))


def _links(inputs: TaskInputs) -> Metrics:
    from homogcl.evaluate.links import link_scores

    if inputs.links is None:
        raise UserError("the task links needs edges that the training did not see")
    return link_scores(inputs.embedding, inputs.links)


def _saliency(inputs: TaskInputs) -> Metrics:
    from homogcl.evaluate.saliency import saliency_scores

    if inputs.saliency is None:
        raise UserError("the task saliency needs the saliency of the edges")
    return saliency_scores(inputs.saliency(), inputs.edges, _labels(inputs))


def _labels(inputs: TaskInputs) -> Array:
    if inputs.labels is None:
        raise UserError("the task compares with labels, and there are none")
    return inputs.labels


def _masks(inputs: TaskInputs) -> Masks:
    if inputs.masks is None:
        raise UserError("the task needs a split into training, validation and test nodes")
    return inputs.masks


PROBE = Task("probe", "test_accuracy", _probe, needs_labels=True, cheap=True)
PROBE_REFIT = Task(
    "probe-refit",
    "refit_test_accuracy",
    _refitted_probe,
    needs_labels=True,
    check_split=_check_refit,
)
PROBE_SPLITS = Task("probe-splits", "splits_test_accuracy", _probe_over_splits, needs_labels=True)
PROBE_ADAM = Task("probe-adam", "adam_test_accuracy", _adam_probe, needs_labels=True, cheap=True)
CLUSTER = Task("cluster", "nmi", partial(_clusters, reader="unit_rows"), needs_labels=True)
CLUSTER_RAW = Task(
    "cluster-raw",
    "raw_nmi",
    partial(_clusters, reader="raw_rows", prefix="raw_"),
    needs_labels=True,
)
CLUSTER_SPECTRAL = Task(
    "cluster-spectral",
    "spectral_nmi",
    partial(_clusters, reader="spectral_rows", prefix="spectral_"),
    needs_labels=True,
)
KNN = Task("knn", "knn_test_accuracy", _nearest, needs_labels=True)
LINKS = Task("links", "link_auc", _links, retrains=True)
SALIENCY = Task("saliency", "edge_homophily", _saliency, needs_labels=True, cheap=True)

ARRAY_TASKS = (
    PROBE,
    PROBE_REFIT,
    PROBE_SPLITS,
    PROBE_ADAM,
    CLUSTER,
    CLUSTER_RAW,
    CLUSTER_SPECTRAL,
    KNN,
    LINKS,
    SALIENCY,
)
