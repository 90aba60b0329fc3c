"""Scores of an embedder for scikit-learn's searches: by probe, by hidden edges, without labels."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

from homogcl.core.errors import UnknownName, UserError
from homogcl.data.check import MASKS
from homogcl.evaluate.tasks import LINKS, PROBE
from homogcl.runs.embedder import Embedder
from homogcl.runs.run import Run
from homogcl.runs.scores import inputs_of, scores, with_edges_held_out, without_test_labels
from homogcl.runs.tasks import UNLABELED
from homogcl.runs.train import fit_run

Scorer = Callable[..., float]  # of an embedder, nodes and, by convention, their labels


def scorer(name: str) -> Scorer:
    """Return a scorer for `GridSearchCV`, `cross_val_score` and the like; higher is better.

    It scores an `Embedder` with a `graph` as a whole, whatever nodes a split has, so that one fold
    is enough: `cv=[(nodes, nodes)]`.

    Args:
        name: "probe", the accuracy on the graph's validation nodes of a linear probe of its
            training nodes; "links", how often an edge that a further training has not seen has a
            higher cosine than a pair without an edge; or "modularity", that of the most modular
            clusters of the embedding. The last two need no labels, and none looks at test nodes.
    """
    if name not in _SCORERS:
        raise UnknownName("scorer", name, _SCORERS)
    return _SCORERS[name]


def _probe(embedder: Embedder, X: object = None, y: object = None) -> float:
    """Return the accuracy of a linear probe on the validation nodes of the graph."""
    check_is_fitted(embedder)
    graph = embedder.graph
    if not isinstance(graph, Data):
        raise UserError("the scorer probe needs an Embedder with a graph of torch_geometric")
    part = without_test_labels(graph, "the scorer probe")
    labeled = embedder.graph_.clone()
    for key in ("y", *MASKS):
        labeled[key] = part[key]
    inputs = inputs_of(embedder.embedding_, labeled, embedder.seed)
    return PROBE.score(inputs)["val_accuracy"]


def _links(embedder: Embedder, X: object = None, y: object = None) -> float:
    """Return how well a training without a tenth of the edges ranks them above other pairs."""
    check_is_fitted(embedder)
    settings, seed = embedder.settings_, embedder.seed
    part, links = with_edges_held_out(embedder.graph_, settings.data.features, seed)
    trained = fit_run(Run.of(embedder.method, settings, part, seed))
    metrics = scores(trained.method, part, seed, (LINKS.name,), links, trained.form)
    return metrics[LINKS.metric]


def _modularity(embedder: Embedder, X: object = None, y: object = None) -> float:
    """Return the modularity of the most modular clusters of the embedding."""
    check_is_fitted(embedder)
    inputs = inputs_of(embedder.embedding_, embedder.graph_, embedder.seed)
    return UNLABELED.score(inputs)[UNLABELED.metric]


_SCORERS: dict[str, Scorer] = {"probe": _probe, "links": _links, "modularity": _modularity}
