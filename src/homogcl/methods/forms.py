"""The forms of an embedding: which blocks of columns stand side by side, and how long rows are.

Importing this module loads no torch: the command line offers its names.
"""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from pydantic import AfterValidator

from homogcl.core.config import Config
from homogcl.core.errors import UnknownName


class Form(NamedTuple):
    """What an embedding consists of."""

    blocks: tuple[str, ...]  # names of blocks, from left to right
    unit: bool  # whether the rows of each block are scaled to length 1


LAST: Final = "last"  # what `embed` gives
AUTO: Final = "auto"  # the one that is best on validation nodes; it is chosen after a training

# Such as "last", "layers+ax" or "layers+x+ax/unit".
FORMS: Final = {
    "+".join(blocks) + "/unit" * unit: Form(blocks, unit)
    for outputs in (LAST, "layers")
    for inputs in ((), ("x",), ("ax",), ("x", "ax"))
    for unit in (False, True)
    for blocks in [(outputs, *inputs)]
}


def form_of(name: str) -> Form:
    """Return the form of that name."""
    if name not in FORMS:
        raise UnknownName("form", name, FORMS)
    return FORMS[name]


def _checked(name: str) -> str:
    if name not in (*FORMS, AUTO):
        raise UnknownName("form", name, (*FORMS, AUTO))
    return name


class EmbeddingConfig(Config):
    """What becomes of a trained method's outputs."""

    form: Annotated[str, AfterValidator(_checked)] = LAST
