"""Settings as people type them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable

from homogcl.core.errors import UserError


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
