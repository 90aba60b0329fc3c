"""Whatever people hold as a graph, as a `Data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.held.arrays import from_array, from_mapping, from_pair, from_sparse, matrix
from homogcl.data.held.networks import from_dgl, from_igraph, from_networkx
from homogcl.data.held.pyg import from_pyg
from homogcl.data.held.tables import Tables, from_tables, rows_of_tables
from homogcl.data.own.graph import Content, own_graph, read_own
from homogcl.data.recipe import Recipe

# A graph in any of the forms of `READERS`; most of their packages are not loaded to say more.
HeldGraph: TypeAlias = Any

ACCEPTED: Final = (
    "the path of files; a table of edges of pandas or polars, or homogcl.Tables(edges, nodes); "
    "edges in an array of numpy or torch, [2, E] or [E, 2], alone or as (edges, x); a dict with "
    "edge_index and perhaps x; a sparse matrix of scipy; a graph of networkx, igraph or DGL; "
    "a Data, a Dataset of one graph or one relation of a HeteroData of torch_geometric"
)


def as_graph(held: HeldGraph, *, seed: int = 0, recipe: Recipe | None = None) -> Data:
    """Return a graph that somebody holds as a `Data`, which a `Data` itself is already.

    A graph in another form gets `ids`, `class_names`, `feature_names`, `structural`, `columns` and
    `report`, as `OwnGraph.graph` has them. Nodes that come without edges have no `edge_index`.

    Args:
        held: A graph in any of the accepted forms.
        seed: Root seed of features made of the edges.
        recipe: What was done to the features of the graph of a training.
    """
    for kind in type(held).__mro__:
        package = kind.__module__.partition(".")[0]
        read = READERS.get(package) or READERS.get(f"{package}.{kind.__name__}")
        if read is not None:
            content = read(held, seed, recipe)
            return content if isinstance(content, Data) else own_graph(content, seed).graph()
    raise _refusal(held)


def _refusal(held: object) -> UserError:
    return UserError(f"a {type(held).__name__} is no graph; accepted are {ACCEPTED}")


def _from_path(path: Any, seed: int, recipe: Recipe | None) -> Data:
    return read_own(path, seed=seed, recipe=recipe).graph()


def _from_table(table: Any, seed: int, recipe: Recipe | None) -> Content | Data:
    tables = table if isinstance(table, Tables) else Tables(table)
    read = rows_of_tables if tables.edges is None else from_tables
    return read(tables, recipe)


def _from_tuple(parts: Any, seed: int, recipe: Recipe | None) -> Content | Data:
    if len(parts) != 2:
        raise _refusal(parts)
    if parts[0] is None:
        return Data(x=matrix(parts[1]))
    if type(parts[0]).__module__.partition(".")[0] in ("pandas", "polars"):
        return from_tables(Tables(*parts), recipe)
    return from_pair(*parts)


def _from_dict(parts: Any, seed: int, recipe: Recipe | None) -> Content:
    if "edge_index" not in parts:
        raise _refusal(parts)
    return from_mapping(parts)


def _with_recipe(read: Callable[[Any, Recipe | None], Content]) -> Callable[..., Content]:
    """Return a reader that takes features as those of a training were taken."""
    return lambda held, seed, recipe: read(held, recipe)


def _alone(read: Callable[[Any], Content | Data]) -> Callable[..., Content | Data]:
    """Return a reader that needs nothing but what it reads."""
    return lambda held, seed, recipe: read(held)


# By the package that a value comes from, or by package and name.
READERS: Final[dict[str, Callable[[Any, int, Recipe | None], Content | Data]]] = {
    "builtins.str": _from_path,
    "pathlib": _from_path,
    "builtins.tuple": _from_tuple,
    "builtins.dict": _from_dict,
    "homogcl.Tables": _from_table,
    "pandas": _from_table,
    "polars": _from_table,
    "numpy": _alone(from_array),
    "scipy": _alone(from_sparse),
    "networkx": _with_recipe(from_networkx),
    "igraph": _with_recipe(from_igraph),
    "torch": _alone(from_array),
    "torch_geometric": _alone(from_pyg),
    "dgl": _alone(from_dgl),
}
