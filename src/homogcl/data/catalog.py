"""Names of data sets and of users' own graphs; nothing here reads a graph or loads torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from homogcl.core.errors import UnknownName
from homogcl.core.extensions import load_extension, third_party
from homogcl.data.published import sources
from homogcl.data.published.root import data_root
from homogcl.data.published.sources import SOURCES, Source
from homogcl.data.shares import demo_shares

ENTRY_POINTS = "homogcl.datasets"
_OTHER_NAMES = {"ogbnarxiv": "arxiv"}


def data_names() -> list[str]:
    """Return the names that `load` takes: built in, then registered by other packages."""
    others = [name for name in third_party(ENTRY_POINTS) if not _is_built_in(name)]
    return ["demo", *SOURCES, *others]


def source(name: str) -> Source | None:
    """Return title, files and origin of a published data set, or None for any other."""
    return SOURCES.get(resolved_name(name))


def published_nodes(name: str) -> int | None:
    """Return the number of nodes of a published data set, or None for any other graph."""
    published = source(name) if own_path(name) is None else None
    return None if published is None else published.counts.nodes


def lacks_features(data: str | Path, root: str | Path | None = None) -> bool:
    """Return whether a published data set lies here without its file of features.

    `load` then makes features of the edges, as it does for any graph with features="structural".
    """
    published = SOURCES.get(plain_name(data)) if isinstance(data, str) else None
    return published is not None and sources.lacks_features(published, data_root(root))


def own_path(data: str | Path) -> Path | None:
    """Return the path of a user's own graph, or None if `data` names a data set.

    A data set's name means the data set, even where a file is called the same: `./cora` is the
    file.
    """
    if isinstance(data, Path):
        return data.expanduser()
    if _is_name(data):
        return None
    path = Path(data).expanduser()
    return path if "/" in data or path.suffix or path.exists() else None


def graph_name(data: str | Path, features: str | Path | None = None) -> str:
    """Return a graph's name in records: a data set's name, or the end of a path.

    A data set with another file of `features` is called after both, so that no table mixes it with
    the data set itself.

    >>> graph_name("friends/edges.csv.gz"), graph_name("data/friends/graph.toml")
    ('edges', 'friends')
    >>> graph_name("Cora", "embedded/titles.npz")
    'cora+titles'
    """
    path = own_path(data)
    if path is None:
        name = resolved_name(str(data))
        return name if features is None else f"{name}+{_stem(Path(features))}"
    from homogcl.data.own.files import TOML

    path = path.resolve()
    if path.name == TOML:
        path = path.parent
    name = (path.name if path.is_dir() else _stem(path)).strip(".") or "graph"
    # Records and presets of a published data set are not this graph's.
    return f"{name}-own" if _is_name(name) else name


def reader(name: str) -> Callable[[Path], Any]:
    """Return the function of another package from the data root to the graph of its data set."""
    entry = third_party(ENTRY_POINTS)[name]
    function: Callable[[Path], Any] = load_extension(entry, "data set", callable)
    return function


def resolved_name(name: str) -> str:
    """Return the one form of a data set's name, or raise `UnknownName`."""
    if _is_listed(name):
        return name
    plain = plain_name(name)
    if (shares := demo_shares(plain)) is not None:
        return shares.name()
    if not _is_listed(plain):
        raise UnknownName("data set", name, data_names())
    return plain


def plain_name(name: str) -> str:
    """Return a name in small letters without - and _, and that of a data set with two names."""
    plain = name.lower().replace("-", "").replace("_", "")
    return _OTHER_NAMES.get(plain, plain)


def _stem(path: Path) -> str:
    """Return a file's name without its ending, seen through `.gz`."""
    from homogcl.data.own.tables import ending

    return path.name.removesuffix(".gz").removesuffix(ending(path))


def _is_name(data: str) -> bool:
    """Return whether a data set is called so, up to case and the characters - and _."""
    plain = plain_name(data)
    return _is_listed(data) or demo_shares(plain) is not None or _is_listed(plain)


def _is_built_in(name: str) -> bool:
    return name == "demo" or name in SOURCES


def _is_listed(name: str) -> bool:
    # Other packages come last, since the search for their data sets takes milliseconds.
    return _is_built_in(name) or name in third_party(ENTRY_POINTS)
