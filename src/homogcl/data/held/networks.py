"""Graphs of networkx, igraph and DGL, known by their methods, so that none of them is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS
from homogcl.data.held.arrays import content_of_arrays, pairs_of
from homogcl.data.own.graph import Content
from homogcl.data.own.ids import some

WEIGHT: Final = "weight"
DGL_FEATURES: Final = ("feat", "x", "attr", "features")
DGL_LABELS: Final = ("label", "labels", "y")
DGL_WEIGHTS: Final = ("weight", "w", "edge_weight")


def from_networkx(graph: Any) -> Content:
    """Return a graph of networkx: its attribute `weight`, and numbers at nodes as features."""
    ids = list(graph.nodes)
    number = {node: place for place, node in enumerate(ids)}
    edges = list(graph.edges(data=WEIGHT))
    pairs = [[number[source] for source, *_ in edges], [number[target] for _, target, _ in edges]]
    rows = [graph.nodes[node] for node in ids]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {str(name): [row.get(name) for row in rows] for name in names}
    return _content(ids, pairs, [weight for *_, weight in edges], columns)


def from_igraph(graph: Any) -> Content:
    """Return a graph of igraph: ids are `name` if nodes have one, weights `weight`."""
    names = list(graph.vs.attributes())
    ids = list(graph.vs["name"]) if "name" in names else list(range(graph.vcount()))
    edges = graph.get_edgelist()
    pairs = [[source for source, _ in edges], [target for _, target in edges]]
    weighted = WEIGHT in graph.es.attributes()
    weights = list(graph.es[WEIGHT]) if weighted else [None] * len(edges)
    columns = {name: list(graph.vs[name]) for name in names if name != "name"}
    return _content(ids, pairs, weights, columns)


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
        y=_first(graph.ndata, DGL_LABELS),
        **{key: _first(graph.ndata, (key,)) for key in MASKS},
    )


def _first(values: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((values[name] for name in names if name in values), None)


def _content(
    ids: list[Any], pairs: list[list[int]], weights: list[Any], columns: Mapping[str, list[Any]]
) -> Content:
    edges = np.array(pairs, dtype=np.int64).reshape(2, -1)
    numeric = {name: values for name, values in columns.items() if _are_numbers(values)}
    for name, values in numeric.items():
        absent = [node for node, value in zip(ids, values, strict=True) if _is_absent(value)]
        if absent:
            raise UserError(
                f"the attribute {name!r} is missing at {len(absent):,} of {len(ids):,} nodes "
                f"({some(absent)}): set it there or remove it"
            )
    x = np.array(list(numeric.values()), dtype=np.float64).T if numeric else None
    has_weight = [weight is not None for weight in weights]
    if any(has_weight) and not all(has_weight):
        raise UserError(
            f"{has_weight.count(False):,} of {len(has_weight):,} edges have no {WEIGHT!r}"
        )
    weight = np.array(weights, dtype=np.float64) if any(has_weight) else None
    return content_of_arrays(edges, weight, x, ids, feature_names=tuple(numeric))


def _are_numbers(values: Sequence[Any]) -> bool:
    present = [value for value in values if value is not None]
    kinds = (bool, int, float, np.number, np.bool_)
    return bool(present) and all(isinstance(value, kinds) for value in present)


def _is_absent(value: Any) -> bool:
    return value is None or not np.isfinite(value)
