"""All tables and figures by name."""

from __future__ import annotations

from homogcl.errors import UnknownName
from homogcl.reproduce.artifact import Artifact
from homogcl.reproduce.figures import FIGURES
from homogcl.reproduce.tables import TABLE_ARTIFACTS

ALL = "all"
ARTIFACTS: dict[str, Artifact] = {**TABLE_ARTIFACTS, **FIGURES}


def chosen(names: list[str]) -> list[Artifact]:
    """Return the artifacts called `names`, each once; `all` is every one of them."""
    for name in names:
        if name not in {ALL, *ARTIFACTS}:
            raise UnknownName("table or figure", name, {ALL, *ARTIFACTS})
    wanted = ARTIFACTS if ALL in names else dict.fromkeys(names)
    return [ARTIFACTS[name] for name in wanted]
