"""Data sets by name, and what a user's own graph is called; importing it loads no torch."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from homogcl.core.errors import UnknownName
from homogcl.data.published.root import data_root
from homogcl.data.published.sources import SOURCES, Source
from homogcl.data.published.sources import lacks_features as source_lacks_features

ENTRY_POINTS = "homogcl.datasets"
_OTHER_NAMES = {"ogbnarxiv": "arxiv"}
_DEMO = re.compile(r"demo(?:h(\d{1,3}))?(?:t(\d{1,3}))?")  # percentages


class Shares(NamedTuple):
    """What the name of a generated graph says: `citation_graph` has both arguments."""

    homophily: float = 0.8
    topic_share: float = 0.6

    def name(self) -> str:
        """Return the graph's name, which says what differs from the graph called demo.

        >>> Shares(0.7, 0.3).name(), Shares().name()
        ('demo-h70-t30', 'demo')
        """
        shares = zip("ht", self, Shares(), strict=True)
        parts = [
            f"-{letter}{round(100 * share)}" for letter, share, usual in shares if share != usual
        ]
        return "".join(["demo", *parts])


def demo_shares(plain: str) -> Shares | None:
    """Return what the name of a generated graph says of it, or None if it is no such name.

    Args:
        plain: The name in small letters without - and _; `demo-h70-t30` has 70 % of its edges
            within a class and draws 30 % of the words from the classes' topics.

    >>> demo_shares("demoh70t30"), demo_shares("cora")
    (Shares(homophily=0.7, topic_share=0.3), None)
    """
    match = _DEMO.fullmatch(plain)
    if match is None:
        return None
    shares = zip(match.groups(), Shares(), strict=True)
    return Shares(*(usual if share is None else int(share) / 100 for share, usual in shares))


def data_names() -> list[str]:
    """Return the names that `load` knows: built in, then registered by other packages."""
    return ["demo", *SOURCES, *(name for name in registered() if not _is_built_in(name))]


def source(name: str) -> Source | None:
    """Return title, files and origin of a published data set, or None for any other."""
    return SOURCES.get(official_name(name))


def lacks_features(data: str | Path, root: str | Path | None = None) -> bool:
    """Return whether a published data set lies here without its file of features.

    `load` then makes some of the edges, as it does for any graph under features="structural".
    """
    published = SOURCES.get(plain_name(data)) if isinstance(data, str) else None
    return published is not None and source_lacks_features(published, data_root(root))


def own_path(data: str | Path) -> Path | None:
    """Return where a user's own graph lies, or None if `data` names a data set.

    What is a data set's name stays one, even where a file is called the same: `./cora` is the file.
    """
    if isinstance(data, Path):
        return data.expanduser()
    if _is_name(data):
        return None
    path = Path(data).expanduser()
    return path if "/" in data or path.suffix or path.exists() else None


def graph_name(data: str | Path) -> str:
    """Return what a graph is called in records: a data set's name, or what its path ends in.

    >>> graph_name("friends/edges.csv.gz"), graph_name("data/friends/graph.toml")
    ('edges', 'friends')
    """
    path = own_path(data)
    if path is None:
        return official_name(str(data))
    from homogcl.data.own.files import TOML
    from homogcl.data.own.tables import ending

    path = path.resolve()
    if path.name == TOML:
        path = path.parent
    stem = path.name if path.is_dir() else path.name.removesuffix(".gz").removesuffix(ending(path))
    name = stem.strip(".") or "graph"
    # Records and presets of a published data set are not this graph's.
    return f"{name}-own" if _is_name(name) else name


def official_name(name: str) -> str:
    """Return the name that a data set goes by here; an unknown one is an error."""
    if _is_known(name):
        return name
    plain = plain_name(name)
    if (shares := demo_shares(plain)) is not None:
        return shares.name()
    if not _is_known(plain):
        raise UnknownName("data set", name, data_names())
    return plain


def plain_name(name: str) -> str:
    """Return a name in small letters without - and _, other names replaced by ours.

    >>> plain_name("ogbn-arxiv"), plain_name("Cora_ML")
    ('arxiv', 'coraml')
    """
    plain = name.lower().replace("-", "").replace("_", "")
    return _OTHER_NAMES.get(plain, plain)


def registered() -> dict[str, EntryPoint]:
    """Return the readers of other packages, not loaded yet."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def registered_reader(name: str) -> Callable[[Path], Any]:
    """Return another package's reader: a function from the data root to a graph."""
    reader: Callable[[Path], Any] = registered()[name].load()
    return reader


def _is_built_in(name: str) -> bool:
    return name == "demo" or name in SOURCES


def _is_known(name: str) -> bool:
    # Readers of other packages come last, since looking for them takes milliseconds.
    return _is_built_in(name) or name in registered()


def _is_name(data: str) -> bool:
    """Return whether a data set is called so, up to case and the characters - and _."""
    plain = plain_name(data)
    return _is_known(data) or demo_shares(plain) is not None or _is_known(plain)
