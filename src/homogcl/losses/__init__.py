"""Losses as pure functions of tensors; each is minimized."""

from homogcl.losses.contrast.info_nce import info_nce
from homogcl.losses.contrast.tiles import Workspace

__all__ = ["Workspace", "info_nce"]
