"""The base of every settings model in the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]


class Config(BaseModel):
    """Settings that do not change once made and refuse keys they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def settled_by(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return the settings that a choice among the `given` ones stands for; none by default."""
        return {}
