"""The base of every settings model in the package."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """Settings that do not change once made and refuse keys they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
