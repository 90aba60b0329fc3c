"""Graphs of networkx, igraph and DGL, known by their methods, so that none of them is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.held.arrays import content_of_arrays, pairs_of
from homogcl.data.held.attributes import LABELS, Attribute, with_attributes
from homogcl.data.own.graph import Content
from homogcl.data.recipe import Recipe

WEIGHT: Final = "weight"
IGRAPH_IDS: Final = ("name", "_nx_name")  # the latter of a graph that came from networkx
DGL_FEATURES: Final = ("feat", "x", "attr", "features")
DGL_WEIGHTS: Final = ("weight", "w", "edge_weight")


def from_networkx(graph: Any, recipe: Recipe | None = None) -> Content:
    """Return a graph of networkx: weights are `weight`, attributes of nodes as elsewhere.

    `recipe` is that of the graph of a training.
    """
    ids = list(graph.nodes)
    number = {node: place for place, node in enumerate(ids)}
    edges = list(graph.edges(data=WEIGHT))
    pairs = [[number[source] for source, *_ in edges], [number[target] for _, target, _ in edges]]
    rows = [graph.nodes[node] for node in ids]
    names = dict.fromkeys(name for row in rows for name in row)
    attributes = [Attribute.of(name, [row.get(name) for row in rows]) for name in names]
    content = _content(ids, pairs, [weight for *_, weight in edges])
    return _with_attributes(content, attributes, recipe)


def from_igraph(graph: Any, recipe: Recipe | None = None) -> Content:
    """Return a graph of igraph: ids are `name` if nodes have one, weights `weight`.

    `recipe` is that of the graph of a training.
    """
    names = list(graph.vs.attributes())
    id_name = next((name for name in IGRAPH_IDS if name in names), None)
    ids = list(range(graph.vcount())) if id_name is None else list(graph.vs[id_name])
    edges = graph.get_edgelist()
    pairs = [[source for source, _ in edges], [target for _, target in edges]]
    weighted = WEIGHT in graph.es.attributes()
    weights = list(graph.es[WEIGHT]) if weighted else [None] * len(edges)
    attributes = [Attribute.of(name, graph.vs[name]) for name in names if name not in IGRAPH_IDS]
    return _with_attributes(_content(ids, pairs, weights), attributes, recipe)


def from_dgl(graph: Any) -> Content:
    """Return a graph of DGL with one kind of nodes and edges.

    Features are `feat`, labels `label`, weights `weight`, or what others call them.
    """
    if len(graph.ntypes) > 1 or len(graph.etypes) > 1:
        relations = ", ".join(map(str, graph.canonical_etypes))
        raise UserError(f"a graph of DGL must have one relation, this one has {relations}")
    source, target = graph.edges()
    return content_of_arrays(
        pairs_of([source.tolist(), target.tolist()]),
        _first(graph.edata, DGL_WEIGHTS),
        _first(graph.ndata, DGL_FEATURES),
        nodes=int(graph.num_nodes()),
        y=_first(graph.ndata, LABELS),
        **{key: _first(graph.ndata, (key,)) for key in MASKS},
    )


def _first(values: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((values[name] for name in names if name in values), None)


def _content(ids: list[Any], pairs: list[list[int]], weights: list[Any]) -> Content:
    edges = np.array(pairs, dtype=np.int64).reshape(2, -1)
    has_weight = [weight is not None for weight in weights]
    if any(has_weight) and not all(has_weight):
        raise UserError(
            f"{has_weight.count(False):,} of {len(has_weight):,} edges have no {WEIGHT!r}"
        )
    weight = np.array(weights, dtype=np.float64) if any(has_weight) else None
    return content_of_arrays(edges, weight, ids=ids)


def _with_attributes(
    content: Content, attributes: Sequence[Attribute], recipe: Recipe | None
) -> Content:
    training_columns = () if recipe is None else recipe.columns
    return replace(content, nodes=with_attributes(content.nodes, attributes, training_columns))
