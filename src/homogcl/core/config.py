"""Settings: the base of every settings model, their validation, and how people type them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from homogcl.core.errors import UserError

Probability = Annotated[float, Field(ge=0, le=1)]


class Config(BaseModel):
    """Settings that do not change once made and refuse keys they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


C = TypeVar("C", bound=Config)


def validated(model: type[C], settings: Mapping[str, object]) -> C:
    """Return `settings` as a `model`; refuse a bad value in one line."""
    try:
        return model.model_validate(settings)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UserError(f"setting {key}={first['input']!r}: {first['msg'].lower()}") from None


def first_problem(error: ValidationError, whole: str = "file") -> str:
    """Return in one line where the first problem is (`whole`: everywhere), and what it is."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or whole
    reason = " ".join(first["msg"].split())
    return f"{place}: {reason[:1].lower()}{reason[1:]}"


def parse_overrides(pairs: Iterable[str]) -> dict[str, object]:
    """Return `key=value` texts as a mapping, with values in TOML's notation or as plain words.

    >>> parse_overrides(["epochs=100", "temperature=0.4", "activation=relu"])
    {'epochs': 100, 'temperature': 0.4, 'activation': 'relu'}
    """
    overrides: dict[str, object] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise UserError(f"--set {pair!r}: write it as key=value")
        overrides[key.strip()] = _value(text.strip())
    return overrides


def parse_batch(text: str) -> dict[str, object]:
    """Return the settings that `KIND` or `KIND:SIZE` stands for.

    >>> parse_batch("neighbors:512")
    {'batch': 'neighbors', 'batch_size': 512}
    """
    kind, colon, size = text.partition(":")
    if not colon:
        return {"batch": kind}
    if not size.isdigit():
        raise UserError(f"--batch {text!r}: write it as KIND or KIND:SIZE, such as neighbors:1024")
    return {"batch": kind, "batch_size": int(size)}


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
