"""The base of every settings model in the package."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]


class Config(BaseModel):
    """Settings that do not change once made and refuse keys they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
