"""Whether a trained method can embed a graph, and in which form the graph has to come."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.edges import edges_sha256
from homogcl.methods.base import Method


@dataclass(frozen=True)
class Learned:
    """What there is to know of the graph that a method learned from, to judge another one by.

    Attributes:
        features: How many features its nodes have.
        feature_names: What they are called, where they have names.
        structural: Whether they were made of the edges, for want of others.
        edges_sha256: A hash of its nodes' number, its edges and their weights.
    """

    features: int
    feature_names: tuple[str, ...]
    structural: bool
    edges_sha256: str

    @classmethod
    def of(cls, graph: Data) -> Learned:
        """Return what there is to know of `graph`."""
        return cls(
            graph.num_features,
            tuple(graph.get("feature_names") or ()),
            bool(graph.get("structural")),
            edges_sha256(graph),
        )

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Learned:
        """Return what `asdict` gave, after a way through JSON."""
        return cls(**{**values, "feature_names": tuple(values["feature_names"])})


def for_method(graph: Data, method: Method, learned: Learned) -> Data:
    """Return `graph` so that `method`, which learned from another or the same one, can embed it.

    Columns of features that stand in another order are put in the one that was learned. Refused,
    with the reason, is another graph where the method knows only the nodes it has seen or where
    features were made of the edges, and features that are not those that were learned.
    """
    here = Learned.of(graph)
    if here.edges_sha256 != learned.edges_sha256:
        if method.transductive:
            raise UserError(
                f"{method.name} knows only the graph it was trained on; train it on this one, or "
                "use a method with an encoder, such as grace+homogcl"
            )
        if here.structural or learned.structural:
            raise UserError(
                "features made of the edges mean something else in another graph: "
                "give both graphs features, or train on this one"
            )
    if here.structural != learned.structural:
        made, given = "made of its edges", "its own"
        raise UserError(
            f"the features of this graph are {made if here.structural else given}, those that "
            f"were learned from {made if learned.structural else given}"
        )
    if here.feature_names and learned.feature_names:
        return _in_learned_order(graph, here.feature_names, learned.feature_names)
    if here.features != learned.features:
        raise UserError(
            f"this graph has {here.features} features, but {learned.features} were learned from"
        )
    return graph


def _in_learned_order(graph: Data, here: tuple[str, ...], learned: tuple[str, ...]) -> Data:
    if here == learned:
        return graph
    missing = [name for name in learned if name not in here]
    added = [name for name in here if name not in learned]
    if missing or added:
        parts = [f"lacks {missing[0]!r}"] * bool(missing) + [f"also has {added[0]!r}"] * bool(added)
        raise UserError(
            f"the columns of features are not those that were learned from: this graph "
            f"{' and '.join(parts)}"
        )
    ordered = copy.copy(graph)
    order = torch.tensor([here.index(name) for name in learned])
    sparse = graph.x.layout == torch.sparse_csr
    x = (graph.x.to_dense() if sparse else graph.x)[:, order]
    ordered.x = x.to_sparse_csr() if sparse else x
    ordered.feature_names = list(learned)
    return ordered
