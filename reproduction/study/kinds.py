"""The three methods that figures of the study compare on any base."""

from __future__ import annotations

from collections.abc import Mapping

from reproduction.figures.drawing import BLUE, GRAY, VERMILION

# The plug-in, its settings, and its color.
KINDS: Mapping[str, tuple[str, Mapping[str, object], str]] = {
    "base": ("", {}, GRAY),
    "HomoGCL": ("+homogcl", {}, BLUE),
    "adaptive": ("+adaptive", {}, VERMILION),
}
