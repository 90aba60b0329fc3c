"""The three methods that pictures of the study compare on any base."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.figures.drawing import BLUE, GRAY, VERMILION

# What is put on the base, its settings, and its color.
KINDS: Mapping[str, tuple[str, Mapping[str, object], str]] = {
    "base": ("", {}, GRAY),
    "HomoGCL": ("+homogcl", {}, BLUE),
    "adaptive": ("+adaptive", {}, VERMILION),
}
