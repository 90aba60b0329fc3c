"""Whether a trained method can embed a graph, and in which form it takes the graph."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch_geometric.data import Data

from homogcl.core.errors import OtherFeatures, UserError
from homogcl.data.edges import edges_sha256
from homogcl.data.recipe import Recipe, refuse_other_columns
from homogcl.methods.base import Method


@dataclass(frozen=True)
class TrainingGraph:
    """Properties of the training graph that a new graph must match."""

    features: int  # the number of features per node
    feature_names: tuple[str, ...]  # the names of the features, where they have any
    structural: bool  # whether the features were made of the edges, for want of others
    edges_sha256: str  # a hash of the number of nodes, the edges and their weights
    recipe: Recipe | None = None  # what was done to the features, where that is known

    @classmethod
    def of(cls, graph: Data) -> TrainingGraph:
        """Return the properties of `graph`."""
        return cls(
            graph.num_features,
            tuple(graph.get("feature_names") or ()),
            bool(graph.get("structural")),
            edges_sha256(graph),
            graph.get("recipe"),
        )

    @property
    def recipe_for_others(self) -> Recipe | None:
        """What is done to the features of another graph, unless they were made of the edges."""
        return None if self.structural else self.recipe


def for_method(graph: Data, method: Method, trained_on: TrainingGraph) -> Data:
    """Return `graph` in the form that a trained method can embed, or refuse it with a reason.

    Columns of features are put in the order of the training graph. A method that is transductive,
    or whose features were made of the edges, embeds the training graph only.
    """
    here = TrainingGraph.of(graph)
    if here.edges_sha256 != trained_on.edges_sha256:
        if method.transductive:
            raise UserError(
                f"{method.name} knows only the graph it was trained on; train it on this one, or "
                "use a method with an encoder, such as grace+homogcl"
            )
        if here.structural or trained_on.structural:
            raise UserError(
                "features made of the edges mean something else in another graph: "
                "give both graphs features, or train on this one"
            )
    if here.structural != trained_on.structural:
        origin = {True: "made of its edges", False: "its own"}
        raise UserError(
            f"the features of this graph are {origin[here.structural]}, those that "
            f"were learned from {origin[trained_on.structural]}"
        )
    scales = [each.recipe.scaling for each in (here, trained_on) if each.recipe is not None]
    if scales and scales[0] != scales[-1]:
        raise UserError(
            "this graph's features are scaled unlike the training graph's: "
            "give its files or tables, or load it with the recipe of the model"
        )
    if here.feature_names and trained_on.feature_names:
        return in_order(graph, trained_on.feature_names)
    if here.features != trained_on.features:
        raise OtherFeatures(
            f"this graph has {here.features} features, but {trained_on.features} were learned from"
        )
    return graph


def in_order(graph: Data, learned: tuple[str, ...]) -> Data:
    """Return the graph with its columns of features in the order of the `learned` names.

    Where it has no names, or none were learned, it stays as it is.
    """
    here = tuple(graph.get("feature_names") or ())
    if here == learned or not here or not learned:
        return graph
    refuse_other_columns(here, learned)
    ordered = copy.copy(graph)
    order = torch.tensor([here.index(name) for name in learned])
    sparse = graph.x.layout == torch.sparse_csr
    x = (graph.x.to_dense() if sparse else graph.x)[:, order]
    ordered.x = x.to_sparse_csr() if sparse else x
    ordered.feature_names = list(learned)
    return ordered
