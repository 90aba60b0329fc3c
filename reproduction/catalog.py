"""All tables and figures by name: the paper's, and those of the study that goes beyond it."""

from __future__ import annotations

from homogcl.core.errors import UnknownName
from reproduction.artifact import Artifact
from reproduction.figures import FIGURES
from reproduction.paper.tables import PAPER_TABLES
from reproduction.study import STUDY

ARTIFACTS: dict[str, Artifact] = {**PAPER_TABLES, **FIGURES}  # the paper's
GROUPS: dict[str, dict[str, Artifact]] = {"all": ARTIFACTS, "study": STUDY}
NAMES = (*ARTIFACTS, *STUDY, *GROUPS)


def chosen(names: list[str]) -> list[Artifact]:
    """Return the artifacts called `names`, each once; `all` are the paper's, `study` the others."""
    singles = {**ARTIFACTS, **STUDY}
    choice: dict[str, Artifact] = {}
    for name in names:
        if name not in NAMES:
            raise UnknownName("table or figure", name, set(NAMES))
        choice |= GROUPS.get(name) or {name: singles[name]}
    return list(choice.values())
