"""Objectives as pure functions of tensors; each is minimized."""

from homogcl.objectives.info_nce import info_nce
from homogcl.objectives.tiles import Workspace

__all__ = ["Workspace", "info_nce"]
