"""All tables and figures by name."""

from __future__ import annotations

from homogcl.errors import UnknownName
from homogcl.reproduce.artefact import Artefact
from homogcl.reproduce.tables import TABLE_ARTEFACTS

ALL = "all"
ARTEFACTS: dict[str, Artefact] = {**TABLE_ARTEFACTS}


def chosen(names: list[str]) -> list[Artefact]:
    """Return the artefacts called `names`, each once; `all` is every one of them."""
    for name in names:
        if name not in {ALL, *ARTEFACTS}:
            raise UnknownName("table or figure", name, {ALL, *ARTEFACTS})
    wanted = ARTEFACTS if ALL in names else dict.fromkeys(names)
    return [ARTEFACTS[name] for name in wanted]
